/**
 * Operations that git leaves open between commands (rebase, merge, …), detected by their files, mostly without a process.
 * Invariant: reads only.
 */
import { textAt } from '../regular.js';
import { git } from '../runner.js';
import { exists, privateGitDir, type WorktreeEntry } from './list.js';

export type OpenOperation = 'rebase' | 'am' | 'merge' | 'cherry-pick' | 'revert' | 'bisect';

/** `git am` and one kind of rebase keep their state in the same folder. */
const SIGNS: ReadonlyArray<readonly [string, OpenOperation]> = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** The operation in progress in the worktree with this git directory. */
export async function openOperation(gitDir: string): Promise<OpenOperation | undefined> {
  const found = await Promise.all(SIGNS.map(([file]) => exists(`${gitDir}/${file}`)));
  return SIGNS[found.indexOf(true)]?.[1];
}

/** Files and folders that an operation in progress has in a git directory. */
export const operationSigns: readonly string[] = SIGNS.map(([file]) => file);

/** The same for a checkout of any kind. */
export async function openOperationIn(checkout: string): Promise<OpenOperation | undefined> {
  const gitDir = await gitDirOf(checkout);
  return gitDir === undefined ? undefined : openOperation(gitDir);
}

/** Undefined: left by a repository that was moved, so no operation can be in progress there. */
export async function gitDirOf(checkout: string): Promise<string | undefined> {
  const own = `${checkout}/.git`;
  if (await exists(`${own}/HEAD`)) return own;
  const linked = await privateGitDir(checkout);
  if (linked !== undefined) return linked;
  const got = await git(checkout).result(['rev-parse', '--absolute-git-dir'], { ok: [0, 128], read: true });
  return got.code === 0 ? got.stdout.trimEnd() : undefined;
}

/** In a sentence, after "a". */
export const nameOf = (operation: OpenOperation): string => (operation === 'am' ? 'git am' : operation);

/** An operation that ends with a move of a branch. */
export interface UnderWay {
  operation: OpenOperation;
  /** The folder where it is in progress. */
  path: string;
  /** It keeps the branch while HEAD is detached. */
  detached?: true;
}

/** The operation of a person that will move the branch: in a checkout of it, or a rebase anywhere that ends with it. */
export async function underWayOn(worktrees: readonly WorktreeEntry[], branch: string): Promise<UnderWay | undefined> {
  for (const tree of worktrees) {
    if (tree.bare || tree.prunable || (tree.branch !== undefined && tree.branch !== branch)) continue;
    if (!(await exists(tree.path))) continue;
    const gitDir = await gitDirOf(tree.path);
    const operation = gitDir === undefined ? undefined : await openOperation(gitDir);
    if (gitDir === undefined || operation === undefined) continue;
    if (tree.branch === branch) return { operation, path: tree.path };
    if (await rebases(gitDir, branch)) return { operation, path: tree.path, detached: true };
  }
  return undefined;
}

/** Of the branch itself, or of another one that carries it along (`git rebase --update-refs`). */
async function rebases(gitDir: string, branch: string): Promise<boolean> {
  const files = ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs'];
  const texts = await Promise.all(files.map((file) => textAt(`${gitDir}/${file}`)));
  return texts.some((text = '') => text.split('\n').some((line) => line.trim() === `refs/heads/${branch}`));
}
