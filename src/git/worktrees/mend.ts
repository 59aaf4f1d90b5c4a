/**
 * What an agent broke of its own worktree, put right before git looks at it: a private git directory that git cannot
 * read, and a worktree that `git worktree move` took out of the folder of worktrees.
 * Invariant: no file of a worktree changes. Only the idea's own worktree, and those without an owner, are mended: an agent
 * may work in any other.
 */
import { lstat, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ideaBranch } from '../refs.js';
import { entriesOf, namesIn, openToRead, orNone, textAt } from '../regular.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';
import { keep, savePoint } from '../saves/saves.js';
import { exists, isUnder, listWorktrees, privateGitDir, type WorktreeEntry } from './list.js';
import { readableHead } from './moved.js';
import { freePlace } from './places.js';
import { readMark } from './recycle.js';

export interface Mending {
  repo: string;
  /** Folder of worktrees, links resolved. */
  root: string;
  idea: string;
}

/** The registered worktrees, after the idea's own was mended and brought home. Call under the repository mutex. */
export async function mendedWorktrees(where: Mending): Promise<WorktreeEntry[]> {
  await mendGitDirs(where);
  const entries = await listWorktrees(where.repo);
  let moved = false;
  for (const entry of entries) moved = (await bringHome(where, entry, entries)) || moved;
  return moved ? listWorktrees(where.repo) : entries;
}

/** Whether git can work in a worktree with this git directory. */
export async function isWhole(gitDir: string): Promise<boolean> {
  return (await readableHead(join(gitDir, 'HEAD'))) && (await leadsSomewhere(gitDir)) && !(await isBrokenIndex(gitDir));
}

/** True when something was mended. */
export async function mendGitDirs({ repo, root, idea }: Mending): Promise<boolean> {
  const admins = join(await sharedGitDir(repo), 'worktrees');
  const claimed = await claims(root, admins);
  const names = await namesIn(admins);
  const mended = await Promise.all(
    names.map(async (name) => {
      const admin = join(admins, name);
      const owner = await readMark(admin, 'idea');
      if (owner !== undefined && owner !== idea) return false;
      const registered = await registeredAt(admin);
      const path = registered ?? claimed.get(admin);
      if (path === undefined || dirname(path) !== root) return false;
      if (registered === undefined) await replaceFile(join(admin, 'gitdir'), `${path}/.git\n`);
      return (await mendInside(admin, path, owner)) || registered === undefined;
    }),
  );
  return mended.includes(true);
}

async function mendInside(admin: string, path: string, owner: string | undefined): Promise<boolean> {
  let mended = false;
  if (!(await leadsSomewhere(admin))) {
    await replaceFile(join(admin, 'commondir'), '../..\n');
    mended = true;
  }
  const head = join(admin, 'HEAD');
  if (!(await readableHead(head))) {
    const text = owner === undefined ? await lastCommit(admin) : `ref: refs/heads/${ideaBranch(owner)}`;
    if (text === undefined) return mended;
    await replaceFile(head, `${text}\n`);
    mended = true;
  }
  if (await isBrokenIndex(admin)) {
    await rm(join(admin, 'index'), { recursive: true, force: true });
    // Without one, the files would count as never checked out, and be replaced.
    if ((await privateGitDir(path)) === admin) await git(path).result(['read-tree', 'HEAD'], { ok: [0, 128] });
    mended = true;
  }
  return mended;
}

/** The folders that say that they are the worktree of a registration. A symbolic link says nothing. */
async function claims(root: string, admins: string): Promise<Map<string, string>> {
  const found = await entriesOf(root);
  const claimed = new Map<string, string>();
  for (const { name } of found.filter((one) => one.isDirectory())) {
    const path = join(root, name);
    const link = ((await textAt(join(path, '.git'))) ?? '').replace(/^gitdir: /, '').trim();
    if (link !== '' && dirname(link) === admins) claimed.set(link, path);
  }
  return claimed;
}

/** Undefined: git knows no folder that exists. */
async function registeredAt(admin: string): Promise<string | undefined> {
  const back = ((await textAt(join(admin, 'gitdir'))) ?? '').trim();
  if (!back.endsWith('/.git')) return undefined;
  const path = dirname(resolve(admin, back));
  return (await exists(path)) ? path : undefined;
}

/** One that leads to another repository is no damage: the wall puts it back, and a person is asked. */
async function leadsSomewhere(admin: string): Promise<boolean> {
  const named = ((await textAt(join(admin, 'commondir'))) ?? '').trim();
  return named !== '' && (await exists(resolve(admin, named)));
}

/** A missing one is none: git makes it. */
async function isBrokenIndex(admin: string): Promise<boolean> {
  const path = join(admin, 'index');
  const info = await lstat(path).catch(orNone);
  if (!info) return false;
  if (!info.isFile() || info.size < 32) return true;
  const file = await openToRead(path);
  try {
    return (await file.read(Buffer.alloc(4), 0, 4, 0)).buffer.toString('latin1') !== 'DIRC';
  } finally {
    await file.close();
  }
}

async function lastCommit(admin: string): Promise<string | undefined> {
  const log = (await textAt(join(admin, 'logs/HEAD'))) ?? '';
  return /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\n]*\n?$/m.exec(log.trimEnd().split('\n').at(-1) ?? '')?.[1];
}

/** Also where a folder is in its place. */
async function replaceFile(path: string, text: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await rm(`${path}.new`, { recursive: true, force: true });
  // Never through a link that an agent put there.
  await writeFile(`${path}.new`, text, { flag: 'wx' });
  await rename(`${path}.new`, path);
}

/**
 * Brings a worktree back that ralphctl made in this folder and `git worktree move` took elsewhere. Where that is impossible
 * (another file system, submodules), its work is saved, git forgets it, and the folder stays where it is.
 */
async function bringHome(
  { repo, root, idea }: Mending,
  { path, head, locked }: WorktreeEntry,
  entries: readonly WorktreeEntry[],
): Promise<boolean> {
  if (isUnder(path, root)) return false;
  const gitDir = await privateGitDir(path);
  if (!gitDir || (await readMark(gitDir, 'idea')) !== idea) return false;
  const home = await readMark(gitDir, 'place');
  if (home === undefined || dirname(home) !== root) return false;
  const to = (await exists(home)) || entries.some((one) => one.path === home) ? await freePlace(root, entries) : home;
  const force = locked === undefined ? [] : ['--force', '--force'];
  const move = await git(repo).result(['worktree', 'move', ...force, path, to], { ok: [0, 1, 128] });
  if (move.code === 0) return true;
  await saveWhat(repo, path, idea, head);
  await rm(gitDir, { recursive: true, force: true });
  return true;
}

/** Saves what is in a worktree that was taken away; its commit at least. */
export async function saveWhat(repo: string, path: string, idea: string, head: string | undefined): Promise<void> {
  const why = 'its worktree was moved away';
  try {
    await savePoint({ worktree: path, idea, why });
  } catch {
    if (head !== undefined && !/^0+$/.test(head)) await keep(repo, idea, head, why);
  }
}

/**
 * Saves the work of a worktree that was moved elsewhere, with a symbolic link to it in its place. Any other folder there is
 * none of ours and is not read.
 */
export async function saveBehindLink(repo: string, { path, head }: WorktreeEntry, idea: string): Promise<void> {
  if (!(await lstat(path).catch(orNone))?.isSymbolicLink()) return;
  const there = await realpath(path).catch(orNone);
  if (there === undefined) return;
  const admin = ((await textAt(join(there, '.git'))) ?? '').replace(/^gitdir: /, '').trim();
  if (dirname(admin) !== join(await sharedGitDir(repo), 'worktrees')) return;
  if ((await registeredAt(admin)) !== path || (await readMark(admin, 'idea')) !== idea) return;
  await saveWhat(repo, there, idea, head);
}
