/**
 * Compares a user's checkout with commits: whether its index is still behind, and what an update of it changes.
 * Invariant: reads the checkout, never writes to it.
 */

import { NO_INDEX } from '../checkout-index.js';
import { git } from '../runner.js';

/**
 * Whether the index still has old versions of the changes from `base` to `tip`. The user may have updated or committed.
 */
export async function isBehind(checkout: string, base: string, tip: string): Promise<boolean> {
  const { moved, old, level } = await movedPaths(checkout, base, tip);
  return moved.length > 0 && old.length >= level.length;
}

/** Paths that change from `base` to `tip`, but for those `besides`, with the one or the other version in the index. */
export async function movedPaths(
  checkout: string,
  base: string,
  tip: string,
  besides: ReadonlySet<string> = new Set(),
): Promise<{ moved: string[]; old: string[]; level: string[] }> {
  const [all, offBase, offTip] = await Promise.all([
    changedPaths(checkout, base, tip),
    stagedPaths(checkout, base),
    stagedPaths(checkout, tip),
  ]);
  const moved = all.filter((path) => !besides.has(path));
  return {
    moved,
    old: moved.filter((path) => !offBase.has(path)),
    level: moved.filter((path) => !offTip.has(path)),
  };
}

/** Tracked paths whose file is not as in a commit. */
export async function editedFiles(checkout: string, commit: string): Promise<Set<string>> {
  const args = ['diff', '--name-only', '--no-renames', '--no-ext-diff', '--ignore-submodules=none', '-z', commit, '--'];
  return new Set((await git(checkout).result(args, { read: true })).stdout.split('\0').filter(Boolean));
}

/** Paths in which two commits or trees differ. */
export async function changedPaths(
  dir: string,
  from: string,
  to: string,
  more: readonly string[] = [],
): Promise<string[]> {
  const args = ['diff-tree', '-r', '--name-only', '--no-renames', ...more, '-z', from, to];
  return (await git(dir).result(args, { read: true, env: NO_INDEX })).stdout.split('\0').filter(Boolean);
}

/** Paths in which the index differs from a commit. */
export async function stagedPaths(checkout: string, commit: string): Promise<Set<string>> {
  const args = ['diff-index', '--cached', '--name-only', '--no-renames', '-z', commit, '--'];
  return new Set((await git(checkout).result(args, { read: true })).stdout.split('\0').filter(Boolean));
}
