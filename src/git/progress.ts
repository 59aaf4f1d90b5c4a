/**
 * Operations that git leaves open between commands (rebase, merge, …), found by their files: mostly no process needed.
 */
import { git } from './git.js';
import { exists, privateGitDir } from './worktree-list.js';

export type OpenOperation = 'rebase' | 'merge' | 'cherry-pick' | 'revert' | 'bisect';

const SIGNS: ReadonlyArray<readonly [string, OpenOperation]> = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** What is in progress in the worktree whose own git directory this is. */
export async function openOperation(gitDir: string): Promise<OpenOperation | undefined> {
  const found = await Promise.all(SIGNS.map(([file]) => exists(`${gitDir}/${file}`)));
  return SIGNS[found.indexOf(true)]?.[1];
}

/** The same for a checkout of any kind. */
export async function openOperationIn(checkout: string): Promise<OpenOperation | undefined> {
  const own = `${checkout}/.git`;
  if (await exists(`${own}/HEAD`)) return openOperation(own);
  const linked = await privateGitDir(checkout);
  return openOperation(linked ?? (await git(checkout).run(['rev-parse', '--absolute-git-dir'], { read: true })));
}
