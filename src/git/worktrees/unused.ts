/**
 * Worktrees of ralphctl that nobody has used for long: what they hold, and how one goes.
 * Invariant: before a folder leaves its place, git has said that every file in it is committed and that a branch has its
 * commits, or that its idea has landed. Flags that hide edits from git count as edits. Ignored files do not count.
 */
import { lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { exclusive } from '../locks.js';
import { git } from '../runner.js';
import { holdsNoWork, readStatus } from '../status.js';
import { canonical, headBranch, isUnder, listWorktrees, privateGitDir } from './list.js';
import { openOperation } from './operations.js';
import { unlinkPlace } from './places.js';

export interface OwnWorktree {
  path: string;
  gitDir: string;
  locked: boolean;
  /** When git or ralphctl last changed anything of it, epoch ms. */
  at: number;
}

/** Files of a private git directory that change when the worktree is used. */
const USED = ['HEAD', 'index', 'logs/HEAD', 'ralphctl-idea', 'ralphctl-recyclable', 'ralphctl-recycling'];

/** Refs that nothing removes by its age. */
const HOLDERS = [
  ...['refs/heads', 'refs/tags', 'refs/remotes'],
  ...['refs/ralphctl/landing-head', 'refs/ralphctl/landing', 'refs/ralphctl/review'],
];

/** The worktrees of a repository in these folders, whose links are valid. */
export async function ownWorktrees(repo: string, roots: readonly string[]): Promise<OwnWorktree[]> {
  const folders = await Promise.all(roots.map(canonical));
  const found: OwnWorktree[] = [];
  for (const { path, locked } of await listWorktrees(repo)) {
    if (!folders.some((folder) => isUnder(path, folder))) continue;
    const gitDir = await privateGitDir(path);
    if (!gitDir) continue;
    const times = await Promise.all(
      [path, ...USED.map((name) => join(gitDir, name))].map((one) =>
        lstat(one).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      ),
    );
    found.push({ path, gitDir, locked: locked !== undefined, at: Math.max(...times) });
  }
  return found;
}

/** Reads all files of the worktree. */
export async function holdings({ path, gitDir }: OwnWorktree): Promise<{ unsaved: boolean; kept: boolean }> {
  const [status, flags, operation] = await Promise.all([
    readStatus(path),
    git(path).run(['ls-files', '-v', '-z'], { read: true }),
    openOperation(gitDir),
  ]);
  const hidden = flags.split('\0').some((line) => /^[a-zS] /.test(line));
  const unsaved = !holdsNoWork(status) || hidden || operation !== undefined;
  if (unsaved) return { unsaved, kept: false };
  if ((await headBranch(gitDir)) !== undefined) return { unsaved, kept: true };
  const args = ['for-each-ref', '--contains', 'HEAD', '--count=1', '--format=%(refname)', ...HOLDERS];
  return { unsaved, kept: (await git(path).run(args, { read: true })) !== '' };
}

/** Moves the folder to `aside` and forgets the worktree. False: it holds work by now. */
export async function dropWorktree(repo: string, tree: OwnWorktree, aside: string): Promise<boolean> {
  return exclusive(`meta:${await canonical(repo)}`, async () => {
    const { unsaved, kept } = await holdings(tree);
    if (unsaved || !kept) return false;
    await rename(tree.path, aside);
    await git(repo).run(['worktree', 'remove', '--force', tree.path]);
    await unlinkPlace(tree.path);
    return true;
  });
}
