/**
 * Clears leftovers of an earlier run or crash from the path of a new worktree.
 * Invariant: no folder with content is deleted. It is moved aside, or refused by name.
 */
import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { git } from '../runner.js';
import { keep } from '../saves/saves.js';
import { exists, privateGitDir, type WorktreeEntry } from './list.js';
import { saveBehindLink } from './mend.js';

/** Frees `path`. `entry` is its registration, if it has one. Call under the repository mutex. */
export async function clearPath(
  repo: string,
  path: string,
  entry: WorktreeEntry | undefined,
  idea: string,
): Promise<void> {
  if (!entry) {
    await moveFolderAside(path);
    return;
  }
  refuseLocked(entry);
  if (!(await exists(path))) return forget(repo, entry, idea);
  if ((await privateGitDir(path)) && (await moveWorktreeAside(repo, path))) return;
  await setAside(repo, entry, idea);
}

/** Moves what is in the place of a worktree aside, and removes its registration; returns the new name. */
export async function setAside(repo: string, entry: WorktreeEntry, idea: string): Promise<string | undefined> {
  refuseLocked(entry);
  await saveBehindLink(repo, entry, idea);
  const aside = await moveFolderAside(entry.path);
  await forget(repo, entry, idea);
  return aside;
}

/** Removes the registration of a worktree whose folder is gone; its last commit is kept. */
export async function forget(repo: string, entry: WorktreeEntry, idea: string): Promise<void> {
  refuseLocked(entry);
  if (entry.head && !/^0+$/.test(entry.head)) await keep(repo, idea, entry.head, 'its folder was gone');
  await git(repo).run(['worktree', 'remove', '--force', entry.path]);
}

export function refuseLocked(entry: WorktreeEntry): void {
  if (entry.locked === undefined) return;
  throw new RepositoryError(
    `The worktree ${entry.path} is locked${entry.locked ? ` (${entry.locked})` : ''}.`,
    `If nobody needs it any more: git worktree unlock ${shellQuoted(entry.path)}`,
  );
}

async function moveWorktreeAside(repo: string, path: string): Promise<boolean> {
  const moved = await git(repo).result(['worktree', 'move', path, await freeName(path)], { ok: [0, 128] });
  return moved.code === 0;
}

/** Renames a folder that is not empty, or a link itself; returns its new name. */
export async function moveFolderAside(path: string): Promise<string | undefined> {
  if (!(await exists(path))) return undefined;
  const empty = await rmdir(path).then(
    () => true,
    () => false,
  );
  if (empty) return undefined;
  // Of links, the newest one tells enough: an agent may make another one in every iteration.
  if ((await lstat(path)).isSymbolicLink()) await dropKeptLinks(path);
  const name = await freeName(path);
  await rename(path, name);
  return name;
}

/** A link holds no work. */
async function dropKeptLinks(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const rest = name.startsWith(`${basename(path)}.kept-`) ? name.slice(basename(path).length) : '';
    const kept = join(dirname(path), name);
    if (/^\.kept-\d+$/.test(rest) && (await lstat(kept)).isSymbolicLink()) await rm(kept, { force: true });
  }
}

/** An unused name beside the path. */
export async function freeName(path: string): Promise<string> {
  for (let n = 1; ; n++) if (!(await exists(`${path}.kept-${n}`))) return `${path}.kept-${n}`;
}
