/**
 * Edited texts of ideas during a run: one file per revision, written before the run learns of it.
 * Invariant: no writer overwrites a revision. Each contains all edits so far.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { runDir } from '../config/paths.js';
import { readStored, STORED_VERSION, type StoredKind } from '../config/stored.js';
import type { Idea } from '../protocol/idea.js';
import type { RunRef } from '../protocol/run-ref.js';
import { highestNumber, numbered, writeNumbered } from './revisions.js';
import { editedFields, versionShape } from './shapes.js';

export type IdeaEdit = Partial<Pick<Idea, 'title' | 'text' | 'success' | 'promise'>>;

const EDIT: StoredKind<IdeaEdit> = {
  schema: z.looseObject({
    version: versionShape,
    ...editedFields,
    promise: z.string().optional(),
  }) as unknown as z.ZodType<IdeaEdit>,
  fix: 'Remove the file, then edit the idea again with: ralphctl edit',
};

const editsDir = (root: string, ref: RunRef, idea: string): string =>
  join(runDir(root, ref.project, ref.runId), 'edits', idea);

export async function readEdit(
  root: string,
  ref: RunRef,
  idea: string,
  revision: number,
): Promise<IdeaEdit | undefined> {
  const found = await readStored<IdeaEdit & { version?: number }>(numbered(editsDir(root, ref, idea), revision), EDIT);
  if (!found) return undefined;
  const { version: _, ...edit } = found;
  return edit;
}

/** The newest edit with its number; 0 and no edit before the first. */
export async function lastEdit(root: string, ref: RunRef, idea: string): Promise<{ revision: number; edit: IdeaEdit }> {
  const revision = await highestNumber(editsDir(root, ref, idea));
  return { revision, edit: (await readEdit(root, ref, idea, revision)) ?? {} };
}

/** Writes the next revision, which includes the earlier ones. Returns its number. */
export async function writeEdit(root: string, ref: RunRef, idea: string, edit: IdeaEdit): Promise<number> {
  return writeNumbered(editsDir(root, ref, idea), async (highest) => {
    const last = await readEdit(root, ref, idea, highest);
    return JSON.stringify({ version: STORED_VERSION, ...last, ...edit });
  });
}
