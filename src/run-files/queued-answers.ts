/**
 * Answers that a person gave while no worker was running. The server has them and no event tells them yet, so that an
 * alert about the question would come too late.
 * Invariant: a file that cannot be used counts as none. Then a person is asked once more.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { appendOwn, readOwn } from '../config/own-files.js';
import { runDir } from '../config/paths.js';
import type { RunRef } from '../protocol/run-ref.js';

const SHAPE = z.looseObject({
  idea: z.string(),
  /** Id of the question; absent: the open one. */
  question: z.string().optional(),
  /** epoch ms */
  at: z.number(),
});
type QueuedAnswer = z.infer<typeof SHAPE>;

const fileOf = (root: string, { project, runId }: RunRef): string =>
  join(runDir(root, project, runId), 'queued-answers.jsonl');

export const noteQueuedAnswer = (root: string, ref: RunRef, answer: QueuedAnswer): Promise<void> =>
  appendOwn(fileOf(root, ref), `${JSON.stringify(answer)}\n`).catch(() => undefined);

export async function queuedAnswers(root: string, ref: RunRef): Promise<QueuedAnswer[]> {
  const text = (await readOwn(fileOf(root, ref)).catch(() => undefined)) ?? '';
  return text.split('\n').flatMap((line) => parsed(line) ?? []);
}

/** Tolerates a torn line. */
function parsed(line: string): QueuedAnswer | undefined {
  try {
    return SHAPE.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
