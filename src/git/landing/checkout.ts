/**
 * Finds the commit of the files in a user's checkout that is behind after landings, and whether it is still behind.
 * Invariant: reads the checkout, never writes to it.
 */

import { CHECKOUT_BASES, checkoutBaseRef } from '../refs.js';
import { git } from '../runner.js';
import { exists, type WorktreeEntry } from '../worktrees/list.js';

/** The remembered commit, if there is one. */
export async function rememberedBase(repo: string, target: string): Promise<string | undefined> {
  const text = await git(repo).run(['for-each-ref', '--format=%(objectname)', checkoutBaseRef(target)], { read: true });
  return text || undefined;
}

/** Targets with a checkout that was behind and may be up to date now. */
export async function rememberedTargets(repo: string): Promise<string[]> {
  const text = await git(repo).run(['for-each-ref', '--format=%(refname)', CHECKOUT_BASES], { read: true });
  return text
    .split('\n')
    .filter(Boolean)
    .map((ref) => ref.slice(CHECKOUT_BASES.length));
}

/** Folders that have the target checked out. */
export async function checkoutsOf(worktrees: readonly WorktreeEntry[], target: string): Promise<string[]> {
  const found: string[] = [];
  for (const tree of worktrees) if (tree.branch === target && (await exists(tree.path))) found.push(tree.path);
  return found;
}

/**
 * Whether the index still has old versions of the changes from `base` to `tip`. The user may have updated or committed.
 */
export async function isBehind(checkout: string, base: string, tip: string): Promise<boolean> {
  const [moved, offBase, offTip] = await Promise.all([
    changedPaths(checkout, base, tip),
    stagedPaths(checkout, base),
    stagedPaths(checkout, tip),
  ]);
  const atBase = moved.filter((path) => !offBase.has(path)).length;
  const atTip = moved.filter((path) => !offTip.has(path)).length;
  return moved.length > 0 && atBase >= atTip;
}

/** Files added in `from..to` that already exist in the checkout, untracked or ignored. */
export async function inTheWay(checkout: string, from: string, to: string): Promise<string[]> {
  const [added, tracked] = await Promise.all([
    changedPaths(checkout, from, to, ['--diff-filter=A']),
    stagedPaths(checkout, from),
  ]);
  const there = await Promise.all(added.map((path) => exists(`${checkout}/${path}`)));
  return added.filter((path, i) => there[i] && !tracked.has(path));
}

/** Paths in which two commits or trees differ. */
export async function changedPaths(
  dir: string,
  from: string,
  to: string,
  more: readonly string[] = [],
): Promise<string[]> {
  const args = ['diff-tree', '-r', '--name-only', '--no-renames', ...more, '-z', from, to];
  return (await git(dir).result(args, { read: true })).stdout.split('\0').filter(Boolean);
}

/** Paths in which the index differs from a commit. */
export async function stagedPaths(checkout: string, commit: string): Promise<Set<string>> {
  const args = ['diff-index', '--cached', '--name-only', '--no-renames', '-z', commit, '--'];
  return new Set((await git(checkout).result(args, { read: true })).stdout.split('\0').filter(Boolean));
}
