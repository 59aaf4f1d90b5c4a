/**
 * Edited texts of ideas during a run: one file per revision, written before the run learns of it.
 * Invariant: a revision is never written twice. Each contains all edits so far.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runDir } from '../config/paths.js';
import { readStored, STORED_VERSION } from '../config/stored.js';
import type { Idea } from '../protocol/idea.js';
import type { RunRef } from '../protocol/run-ref.js';
import { EDIT } from './shapes.js';

export type IdeaEdit = Partial<Pick<Idea, 'title' | 'text' | 'success' | 'promise'>>;

const editsDir = (root: string, ref: RunRef, idea: string): string =>
  join(runDir(root, ref.project, ref.runId), 'edits', idea);

export async function readEdit(
  root: string,
  ref: RunRef,
  idea: string,
  revision: number,
): Promise<IdeaEdit | undefined> {
  const found = await readStored<IdeaEdit & { version?: number }>(
    join(editsDir(root, ref, idea), `${revision}.json`),
    EDIT,
  );
  if (!found) return undefined;
  const { version: _, ...edit } = found;
  return edit;
}

/** The newest edit with its number; 0 and nothing before the first. */
export async function lastEdit(root: string, ref: RunRef, idea: string): Promise<{ revision: number; edit: IdeaEdit }> {
  const names = await readdir(editsDir(root, ref, idea)).catch(() => []);
  const revision = Math.max(0, ...names.map((name) => Number(name.replace(/\.json$/, ''))).filter(Number.isInteger));
  return { revision, edit: (await readEdit(root, ref, idea, revision)) ?? {} };
}

/** Writes the next revision on top of the earlier ones. Returns its number. */
export async function writeEdit(root: string, ref: RunRef, idea: string, edit: IdeaEdit): Promise<number> {
  await mkdir(editsDir(root, ref, idea), { recursive: true });
  for (;;) {
    const last = await lastEdit(root, ref, idea);
    const revision = last.revision + 1;
    const text = JSON.stringify({ version: STORED_VERSION, ...last.edit, ...edit });
    const made = await writeFile(join(editsDir(root, ref, idea), `${revision}.json`), text, {
      flag: 'wx',
      mode: 0o600,
    }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (made) return revision;
  }
}
