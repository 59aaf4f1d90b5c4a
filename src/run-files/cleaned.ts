/**
 * What a cleaning removed of a run: a note in the run's folder `ideas`, which the cleaning replaces as a whole.
 * Invariant: what the note names may still be there after a crash; what is gone is named.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runDir } from '../config/paths.js';
import { readNote, STORED_VERSION } from '../config/stored.js';
import type { RunPart } from '../protocol/retention.js';
import type { RunRef } from '../protocol/run-ref.js';

/** What replaces `ideas`; it is there only while a cleaning works, or was killed. */
export const NEXT = 'ideas.next';
/** No id of an idea. */
export const CLEANED_FILE = '.cleaned.json';

/** ISO time of each part that is gone. */
export type CleanedParts = Partial<Record<RunPart, string>>;

const shape = z.looseObject({
  transcripts: z.string().optional(),
  gateLogs: z.string().optional(),
  events: z.string().optional(),
}) as unknown as z.ZodType<CleanedParts>;

export const noteText = (parts: CleanedParts): string => JSON.stringify({ version: STORED_VERSION, ...parts });

/** Empty where nothing was cleaned. Never rejects. */
export async function cleanedParts(root: string, { project, runId }: RunRef): Promise<CleanedParts> {
  const dir = runDir(root, project, runId);
  const read = (folder: string): Promise<CleanedParts | undefined> =>
    readNote(join(dir, folder, CLEANED_FILE), shape, 'skip').catch(() => undefined);
  const known = await read('ideas');
  if (known) return known;
  // A cleaning was killed between two renames.
  const isThere = await access(join(dir, 'ideas')).then(
    () => true,
    () => false,
  );
  return (isThere ? undefined : await read(NEXT)) ?? {};
}

const NAMES: Readonly<Record<RunPart, string>> = {
  transcripts: 'transcripts',
  gateLogs: 'gate logs',
  events: 'events',
};

/** `the transcripts and gate logs of run … were cleaned on 2026-11-03`; undefined where none of these parts was. */
export async function cleanedText(root: string, ref: RunRef, parts: readonly RunPart[]): Promise<string | undefined> {
  const cleaned = await cleanedParts(root, ref);
  const byDay = new Map<string, string[]>();
  for (const part of parts) {
    const day = cleaned[part]?.slice(0, 10);
    if (day !== undefined) byDay.set(day, [...(byDay.get(day) ?? []), NAMES[part]]);
  }
  if (byDay.size === 0) return undefined;
  const list = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]*)$/, ' and $1');
  const said = [...byDay].map(([day, names]) => `${list(names)} of run ${ref.runId} were cleaned on ${day}`);
  return `the ${said.join(', and the ')} (retention in ralphctl.yaml)`;
}
