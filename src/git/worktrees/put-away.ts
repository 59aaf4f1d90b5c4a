/**
 * Uncommitted work that an abort took out of its worktree, into a save: the next start brings it back.
 * Invariant: only where the branch is where the save began and nobody has worked in the worktree since; it is brought back
 * once. Otherwise it stays in the save, and somebody is told.
 */
import { readTip } from '../refs.js';
import { git } from '../runner.js';
import { listSaves, type SavePoint } from '../saves/saves.js';
import { holdsNoWork, readStatus, type Status } from '../status.js';
import { openOperation } from './operations.js';
import { clearMark, readMark } from './recycle.js';

export interface PutAway {
  /** Number of the save that has it. */
  n: number;
  /** It is in the worktree again; otherwise only in the save. */
  back: boolean;
}

interface Place {
  path: string;
  gitDir: string;
  idea: string;
  branch: string;
}

/** Undefined: nothing was put away. Files that were staged and changed since come back as they were on disk. */
export async function bringBackPutAway(place: Place): Promise<PutAway | undefined> {
  const save = await putAwayIn(place);
  if (!save) return undefined;
  const back = (await fits(place, save)) && (await bringBack(place.path, save));
  await clearMark(place.gitDir, 'put-away');
  return { n: save.n, back };
}

/** The save that the next start looks at. Reads only. */
async function putAwayIn({ path, gitDir, idea }: Place): Promise<SavePoint | undefined> {
  const ref = await readMark(gitDir, 'put-away');
  return ref === undefined ? undefined : (await listSaves(path, idea)).find((save) => save.ref === ref.trim());
}

/** Whether the next start brings it back. Reads only. */
export async function comesBack(place: Place): Promise<boolean> {
  const save = await putAwayIn(place);
  return save !== undefined && (await fits(place, save));
}

async function fits({ path, gitDir, branch }: Place, { head }: SavePoint): Promise<boolean> {
  const [status, open, tip] = await Promise.all([
    readStatus(path),
    openOperation(gitDir),
    readTip(path, `refs/heads/${branch}`),
  ]);
  return !open && tip === head && status.branch === branch && isBare(status);
}

/** Repositories inside stay where they are when the rest is put away. */
export const isBare = (status: Status): boolean => holdsNoWork({ ...status, nested: [] });

/** False where a file is in the way, which git then leaves alone. */
async function bringBack(path: string, { head, commit }: SavePoint): Promise<boolean> {
  return (await git(path).result(['read-tree', '-m', '-u', head, commit], { ok: [0, 128] })).code === 0;
}

/** A sentence without its end. */
export const putAwayText = (idea: string, { n, back }: PutAway): string =>
  back
    ? `what an abort had put away is back, from its save ${n} (ralphctl saves ${idea})`
    : `it begins without what an abort had put away, because its branch or its worktree changed since: ralphctl saves restore ${idea} ${n}`;
