/**
 * Folders of worktrees that git no longer knows: somebody removed the registration (`git worktree prune`, or a folder in
 * `.git/worktrees`) and left the files.
 * Invariant: only folders with a name of ours, whose link is gone or leads to a registration of this repository that does
 * not exist. `undefined` is a proof: some commit has all of their files as they are, and a repository inside loses nothing.
 */
import { lstat, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { namesIn, textAt } from '../regular.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';
import { innerWork } from './inner.js';
import { canonical, exists, isUnder, listWorktrees } from './list.js';
import { isKeptPlace, isPlace } from './places.js';

/** Those in a folder of worktrees of this repository. */
export async function unregistered(repo: string, folder: string): Promise<string[]> {
  const root = await canonical(folder);
  const registered = join(await canonical(await sharedGitDir(repo)), 'worktrees');
  const known = new Set((await listWorktrees(repo)).map(({ path }) => path));
  const found: string[] = [];
  for (const name of (await namesIn(root)).sort()) {
    const path = join(root, name);
    if (!isPlace(name) || isKeptPlace(name) || known.has(path)) continue;
    if ((await lstat(path)).isDirectory() && (await isLost(path, registered))) found.push(path);
  }
  return found;
}

async function isLost(path: string, registered: string): Promise<boolean> {
  if (!(await exists(join(path, '.git')))) return true;
  const named = /^gitdir: ([^\n]+)\n?$/.exec((await textAt(join(path, '.git'))) ?? '')?.[1];
  if (named === undefined) return false;
  const admin = await canonical(resolve(path, named));
  return isUnder(admin, registered) && !(await exists(admin));
}

/** Why it stays, as a part of a sentence. Changes nothing in it. */
export async function unsavedIn(repo: string, path: string): Promise<string | undefined> {
  const commonDir = await sharedGitDir(repo);
  const inner = await innerWork({ path, gitDir: join(commonDir, 'worktrees', 'none'), commonDir });
  if (inner !== undefined) return inner;
  const scratch = await makeTemporary('unregistered');
  try {
    const env = { GIT_DIR: commonDir, GIT_WORK_TREE: path, GIT_INDEX_FILE: join(scratch, 'index') };
    // The link in it is no file of the worktree.
    await git(path).run(['add', '-A', '--', '.'], { env });
    const tree = await git(path).run(['write-tree'], { env });
    const trees = await git(repo).run(['log', '--all', '--format=%T'], { read: true });
    return trees.split('\n').includes(tree) ? undefined : 'no commit has its files as they are';
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
