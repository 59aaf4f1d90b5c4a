/**
 * Objects that the index names and the repository does not have: something pruned them, or a full disk lost them. Git
 * then refuses every commit, although the worktree still has the files.
 * Invariant: writes objects and the index only, from the files of the worktree. Runs no hook.
 */
import { join } from 'node:path';
import { git } from '../runner.js';
import { exists } from './list.js';

/** An error names one file, and more may be missing. */
const MOST_MENDED = 100;

const INVALID = /invalid object \d+ ([0-9a-f]{40,64}) for '(.+?)'\n(?:error|fatal): /s;

/** `said`: what git said to a commit. True: it was about such objects, and some are there again. */
export async function writeMissing(worktree: string, said: string): Promise<boolean> {
  let [error, mended] = [said, 0];
  while (mended < MOST_MENDED && (await writeOne(worktree, error))) {
    mended += 1;
    const tree = await git(worktree).result(['write-tree'], { ok: [0, 1, 128] });
    if (tree.code === 0) break;
    error = tree.stderr;
  }
  return mended > 0;
}

/** False: the error names no object, or its file is gone, too. */
async function writeOne(worktree: string, said: string): Promise<boolean> {
  const [, wanted, path] = INVALID.exec(said) ?? [];
  if (wanted === undefined || path === undefined || !(await exists(join(worktree, path)))) return false;
  const { result } = git(worktree);
  const made = await result(['hash-object', '-w', '--', path], { ok: [0, 128] });
  if (made.code === 0 && made.stdout.trim() === wanted) return true;
  // The file has changed since it was staged, or is a link.
  const spec = `:(top,literal)${path}`;
  await result(['rm', '-q', '-r', '--cached', '--sparse', '--', spec], { ok: [0, 1, 128] });
  return (await result(['add', '-A', '--sparse', '--', spec], { ok: [0, 1, 128] })).code === 0;
}
