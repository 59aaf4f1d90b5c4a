/** Cleans when an attached `start` sees its run end, and tells it in one line. Invariant: takes seconds, and fails nothing. */
import { cleanedLine } from '../../decide/retention/words.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { type Context, say } from '../context.js';

const MOST_MS = 5000;

/** `toldUntil`: when the last cleaning was that was told, or the attaching (ISO 8601). */
export async function cleanAtEnd({ root, json }: Context, { project }: RunRef, toldUntil: string): Promise<void> {
  const { cleanUp } = await import('../../jobs/clean/by-itself.js');
  // The worker may be at it already, or have ended after the last event was read.
  const input = { project, moment: 'end' as const, mostMs: MOST_MS, waitMs: MOST_MS, toldUntil };
  const cleaned = await cleanUp({ root }, input, { signal: AbortSignal.timeout(2 * MOST_MS) });
  if (cleaned && !json) say(`cleaned: ${cleanedLine(cleaned)}`);
}
