/**
 * Worktrees of ralphctl that nobody has used for long: what they hold, and how one goes.
 * Invariant: before a folder leaves its place, git has said that every file in it is committed and that a branch has its
 * commits, or that its idea has landed. Flags that hide edits from git count as edits. Ignored files do not count, but
 * repositories do, wherever they are. Only worktrees that ralphctl made are looked at: by name, mark and branch.
 */
import { lstat, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { exclusive } from '../locks.js';
import { orNone, readRegular } from '../regular.js';
import { git } from '../runner.js';
import { holdsNoWork, readStatus } from '../status.js';
import { hidesFiles, innerWork } from './inner.js';
import { canonical, headBranch, listWorktrees, privateGitDir } from './list.js';
import { openOperation } from './operations.js';
import { isPlace, unlinkPlace } from './places.js';
import { readMark } from './recycle.js';

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

/** The folders of a project in which ralphctl makes worktrees, where they may be used. */
export interface Folders {
  worktrees: string | undefined;
  integration: string | undefined;
}

/** Worktrees that ralphctl made in these folders, whose links are valid. A person's own are not among them. */
export async function ownWorktrees(repo: string, folders: Folders): Promise<OwnWorktree[]> {
  const at = (folder: string | undefined) => (folder === undefined ? undefined : canonical(folder));
  const [worktrees, integration] = await Promise.all([at(folders.worktrees), at(folders.integration)]);
  const found: OwnWorktree[] = [];
  for (const { path, locked } of await listWorktrees(repo)) {
    const parent = dirname(path);
    if (parent !== worktrees && parent !== integration) continue;
    const gitDir = await privateGitDir(path);
    if (!gitDir || !(await (parent === worktrees ? isOurs(path, gitDir) : isDetached(gitDir)))) continue;
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

/** A person may have worktrees of the repository in a folder that the configuration names. */
async function isOurs(path: string, gitDir: string): Promise<boolean> {
  if (!isPlace(basename(path))) return false;
  const marks = await Promise.all((['idea', 'recyclable', 'recycling'] as const).map((one) => readMark(gitDir, one)));
  if (marks.every((mark) => mark === undefined)) return false;
  const branch = await headBranch(gitDir).catch((error: unknown) => orNone(error) ?? '');
  return branch === undefined || branch.startsWith('ralph/');
}

/** Ours in the folder of integration worktrees never have a branch. */
const isDetached = async (gitDir: string): Promise<boolean> =>
  (await headBranch(gitDir).catch((error: unknown) => orNone(error) ?? '')) === undefined;

export interface Held {
  unsaved: boolean;
  kept: boolean;
  /** What a repository inside holds, as a part of a sentence. */
  inner?: string;
}

/** Reads all files of the worktree. */
export async function holdings({ path, gitDir }: OwnWorktree): Promise<Held> {
  const [status, hidden, operation] = await Promise.all([readStatus(path), hidesFiles(path), openOperation(gitDir)]);
  const unsaved = !holdsNoWork(status) || hidden || operation !== undefined;
  if (unsaved) return { unsaved, kept: false };
  const commonDir = await canonical(resolve(gitDir, (await readRegular(join(gitDir, 'commondir'))).trim()));
  const inner = await innerWork({ path, gitDir, commonDir });
  if (inner !== undefined) return { unsaved, kept: false, inner };
  if ((await headBranch(gitDir)) !== undefined) return { unsaved, kept: true };
  const args = ['for-each-ref', '--contains', 'HEAD', '--count=1', '--format=%(refname)', ...HOLDERS];
  return { unsaved, kept: (await git(path).run(args, { read: true })) !== '' };
}

/** Moves the folder to `aside` and forgets the worktree. False: it holds work by now. */
export async function dropWorktree(repo: string, tree: OwnWorktree, aside: string): Promise<boolean> {
  return exclusive(`meta:${await canonical(repo)}`, async () => {
    const { unsaved, kept, inner } = await holdings(tree);
    if (unsaved || !kept || inner !== undefined) return false;
    await rename(tree.path, aside);
    await git(repo).run(['worktree', 'remove', '--force', tree.path]);
    await unlinkPlace(tree.path);
    return true;
  });
}
