/**
 * The registered worktrees of a repository, and the private git directory of one. Reads only.
 */
import { lstat, readFile, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { git } from './git.js';

export interface WorktreeEntry {
  path: string;
  head?: string;
  /** Short branch name. */
  branch?: string;
  bare: boolean;
  /** The reason, possibly empty. */
  locked?: string;
  /** git thinks that the folder is gone or its link broken. */
  prunable: boolean;
}

export function parseWorktreeList(text: string): WorktreeEntry[] {
  const entries: WorktreeEntry[] = [];
  let current: WorktreeEntry | undefined;
  for (const line of text.split('\0')) {
    const space = line.indexOf(' ');
    const key = space < 0 ? line : line.slice(0, space);
    const value = space < 0 ? '' : line.slice(space + 1);
    if (key === 'worktree') {
      current = { path: value, bare: false, prunable: false };
      entries.push(current);
    } else if (current) {
      if (key === 'HEAD') current.head = value;
      else if (key === 'branch') current.branch = value.replace(/^refs\/heads\//, '');
      else if (key === 'bare') current.bare = true;
      else if (key === 'locked') current.locked = value;
      else if (key === 'prunable') current.prunable = true;
    }
  }
  return entries;
}

/** All worktrees, the main one first; one process. */
export async function listWorktrees(repo: string): Promise<WorktreeEntry[]> {
  return parseWorktreeList((await git(repo).result(['worktree', 'list', '--porcelain', '-z'], { read: true })).stdout);
}

/**
 * The private git directory of the linked worktree at `path`, when the link is valid in both directions;
 * undefined for a main checkout, a missing folder or a broken link.
 */
export async function privateGitDir(path: string): Promise<string | undefined> {
  try {
    const link = (await readFile(`${path}/.git`, 'utf8')).trim();
    if (!link.startsWith('gitdir: ')) return undefined;
    const gitDir = resolve(path, link.slice('gitdir: '.length));
    const back = resolve(gitDir, (await readFile(`${gitDir}/gitdir`, 'utf8')).trim());
    return (await realpath(dirname(back))) === (await realpath(path)) ? gitDir : undefined;
  } catch {
    return undefined;
  }
}

/** The branch that HEAD names in a git directory, read without a process; undefined when detached. */
export async function headBranch(gitDir: string): Promise<string | undefined> {
  const head = (await readFile(`${gitDir}/HEAD`, 'utf8')).trim();
  return head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : undefined;
}

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** `path` with symbolic links resolved as far as it exists, so that it compares with what git prints. */
export async function canonical(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    return resolve(await canonical(parent), path.slice(parent === '/' ? 1 : parent.length + 1));
  }
}

export const isUnder = (path: string, root: string): boolean => path.startsWith(`${root}/`);
