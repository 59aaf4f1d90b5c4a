/**
 * The registered worktrees of a repository, and the private git directory of one. Reads only.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eachOf, entriesOf, namesIn, orNone, readRegular, textAt } from '../regular.js';
import { GitError, git } from '../runner.js';

export interface WorktreeEntry {
  path: string;
  head?: string;
  /** Short branch name. */
  branch?: string;
  bare: boolean;
  /** The reason, possibly empty. */
  locked?: string;
  /** git considers the folder gone or its link broken. */
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

/** All worktrees, the main one first; mostly one process. `repo` is the top folder of one of them. */
export async function listWorktrees(repo: string): Promise<WorktreeEntry[]> {
  const text = await listText(repo);
  const [main, ...linked] = parseWorktreeList(text);
  if (main === undefined) return [];
  return [main.bare ? main : { ...main, path: await mainCheckout(repo, main.path) }, ...linked];
}

const MOST_TRIES = 10;
const WAIT_MS = 50;

/** git writes the registration of a new worktree file by file, and its own list fails at the half of one. */
async function listText(repo: string): Promise<string> {
  for (let left = MOST_TRIES; ; left--) {
    const got = await git(repo)
      .result(['worktree', 'list', '--porcelain', '-z'], { read: true })
      .catch((error: unknown) => {
        if (left > 1 && error instanceof GitError && /failed to read .*commondir/.test(error.stderr)) return undefined;
        throw error;
      });
    if (got) return got.stdout;
    await delay(WAIT_MS);
  }
}

/**
 * Where the git directory is in another folder (`--separate-git-dir`, a submodule), git lists it, or the folder around it,
 * in place of the main checkout.
 */
async function mainCheckout(repo: string, listed: string): Promise<string> {
  const gitDir = /^gitdir: ([^\n]+)\n?$/.exec((await textAt(`${repo}/.git`)) ?? '')?.[1];
  // Only a linked worktree has a git directory that names the shared one.
  if (gitDir !== undefined && !(await exists(join(resolve(repo, gitDir), 'commondir')))) return realpath(repo);
  if (await exists(`${listed}/.git`)) return listed;
  // A submodule has its folder in its settings. Nothing leads from a separate git directory to its checkout.
  const got = await git(listed)
    .result(['rev-parse', '--show-toplevel'], { ok: [0, 128], read: true })
    .catch(() => undefined);
  return got?.code === 0 ? got.stdout.trimEnd() || listed : listed;
}

/**
 * The private git directory of the linked worktree at `path`, when the link is valid in both directions; undefined for
 * a main checkout, a missing folder, a broken link, or a symbolic link, also one to the worktree that was here.
 * @throws where nobody can read the link now: it may well be intact
 */
export async function privateGitDir(path: string): Promise<string | undefined> {
  try {
    const link = (await readRegular(`${path}/.git`)).trim();
    if (!link.startsWith('gitdir: ')) return undefined;
    const gitDir = resolve(path, link.slice('gitdir: '.length));
    const back = resolve(gitDir, (await readRegular(`${gitDir}/gitdir`)).trim());
    if ((await realpath(dirname(back))) !== (await realpath(path))) return undefined;
    return (await lstat(path)).isSymbolicLink() ? undefined : gitDir;
  } catch (error) {
    return orNone(error);
  }
}

/** The branch that HEAD names in a git directory, read without a process; undefined when detached. */
export async function headBranch(gitDir: string): Promise<string | undefined> {
  const head = (await readRegular(`${gitDir}/HEAD`)).trim();
  return head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : undefined;
}

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => orNone(error) ?? false,
  );

/** `path` with symbolic links resolved as far as it exists, so that it compares with git's output. */
export async function canonical(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    orNone(error);
    const parent = dirname(path);
    if (parent === path) return path;
    return resolve(await canonical(parent), path.slice(parent === '/' ? 1 : parent.length + 1));
  }
}

export const isUnder = (path: string, root: string): boolean => path.startsWith(`${root}/`);

/* The linked worktrees of a repository as registered, and whether each is intact. Reads files, starts nothing. */

export interface Link {
  /** Its folder. */
  path: string;
  /** Short branch name; absent when detached. */
  branch?: string;
  /** Folder and registration name each other. */
  sound: boolean;
}

/** Keyed by the names of their registrations. */
export async function readLinks(commonDir: string): Promise<Record<string, Link>> {
  const names = await namesIn(join(commonDir, 'worktrees'));
  const links = await Promise.all(
    names.map(async (name): Promise<[string, Link][]> => {
      const own = join(commonDir, 'worktrees', name);
      const pointer = (await textAt(join(own, 'gitdir'))) ?? '';
      if (pointer.trim() === '') return [];
      const path = dirname(resolve(own, pointer.replace(/\n$/, '')));
      const branch = await headBranch(own).catch(orNone);
      const gitDir = await privateGitDir(path);
      const sound = gitDir !== undefined && basename(gitDir) === name;
      return [[name, { path, sound, branch }]];
    }),
  );
  return Object.fromEntries(links.flat());
}

/** Branches below a prefix (`ralph/`), loose or packed, with their commits. */
export async function readBranches(commonDir: string, prefix: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const packed = (await textAt(join(commonDir, 'packed-refs'))) ?? '';
  for (const line of packed.split('\n')) {
    const [, commit, name] = /^([0-9a-f]{40,64}) ([^ ]+)$/.exec(line) ?? [];
    if (commit && name?.startsWith(`refs/heads/${prefix}`)) found[name] = commit;
  }
  await readLoose(join(commonDir, 'refs/heads'), prefix, found);
  return found;
}

async function readLoose(heads: string, prefix: string, found: Record<string, string>): Promise<void> {
  const entries = await entriesOf(join(heads, prefix));
  await eachOf(entries, async (entry) => {
    if (entry.isDirectory()) return;
    const commit = ((await textAt(join(heads, prefix, entry.name))) ?? '').trim();
    if (/^[0-9a-f]{40,64}$/.test(commit)) found[`refs/heads/${prefix}${entry.name}`] = commit;
  });
  for (const entry of entries) if (entry.isDirectory()) await readLoose(heads, `${prefix}${entry.name}/`, found);
}
