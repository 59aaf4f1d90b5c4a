/**
 * Objects that the index names and the repository does not have: something pruned them, or a full disk lost them. Git
 * then refuses every commit, although the worktree still has the files.
 * Invariant: writes objects and the index only, from the files of the worktree.
 */
import { join } from 'node:path';
import { git } from '../runner.js';
import { exists } from './list.js';

/** One error names one file, and more may be missing. */
export const MOST_MENDED = 100;

const INVALID = /invalid object \d+ ([0-9a-f]{40,64}) for '(.+?)'\nerror: /s;

/** Writes the object that git named in `said` again. False: it named none, or the file is gone. */
export async function writeMissing(worktree: string, said: string): Promise<boolean> {
  const [, wanted, path] = INVALID.exec(said) ?? [];
  if (wanted === undefined || path === undefined || !(await exists(join(worktree, path)))) return false;
  const { result } = git(worktree);
  const made = await result(['hash-object', '-w', '--', path], { ok: [0, 128] });
  if (made.code === 0 && made.stdout.trim() === wanted) return true;
  // The file has changed since it was staged, or is a link.
  await result(['rm', '-q', '-r', '--cached', '--sparse', '--', `:(top,literal)${path}`], { ok: [0, 1, 128] });
  return (await result(['add', '-A', '--sparse', '--', `:(top,literal)${path}`], { ok: [0, 1, 128] })).code === 0;
}
