/**
 * A copy of the target's files for an agent that only reads.
 * Invariant: the copy has no history, no remote and no link to the repository: nothing that an agent writes in it stays.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../../../git/runner.js';

/** @returns the folder */
export async function copyOf(repo: string, target: string, dir: string, signal: AbortSignal): Promise<string> {
  const copy = join(dir, 'copy');
  const index = join(dir, 'copy.index');
  await removeCopy(dir);
  await mkdir(copy, { recursive: true, mode: 0o700 });
  const env = { GIT_INDEX_FILE: index };
  await git(repo).run(['read-tree', `refs/heads/${target}`], { env, signal });
  await git(repo).run(['checkout-index', '--all', '--quiet', `--prefix=${copy}/`], { env, signal });
  await rm(index, { force: true });
  return copy;
}

export async function removeCopy(dir: string): Promise<void> {
  for (const name of ['copy', 'copy.index', 'copy.index.lock'])
    await rm(join(dir, name), { recursive: true, force: true, maxRetries: 3 });
}
