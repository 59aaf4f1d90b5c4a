/**
 * Worktrees of ralphctl have the whole tree, also where your checkout is sparse: a gate needs all files, and an agent may
 * work outside your cone. git copies the patterns of the checkout into each new worktree.
 * Invariant: changes only the worktree's own patterns, no configuration, and nothing of your checkout.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '../regular.js';
import { git } from '../runner.js';

const EVERYTHING = '/*\n';

/** True when the worktree with this git directory was sparse until now. Its files follow with {@link refill}. */
export async function wantWholeTree(gitDir: string): Promise<boolean> {
  const file = join(gitDir, 'info/sparse-checkout');
  const patterns = await textAt(file);
  if (patterns === undefined || patterns === EVERYTHING) return false;
  await writeFile(file, EVERYTHING);
  return true;
}

/** Checks out the files that the old patterns left out; edits stay. */
export async function refill(worktree: string): Promise<void> {
  await git(worktree).result(['sparse-checkout', 'reapply'], { ok: [0, 1, 128] });
}
