/**
 * Worktrees are in neutral folders (`ralph-tree-001`) that are never renamed, because tools write the path of a
 * worktree into their files (virtual environments, compiled caches, conversations of agents). For people there is a
 * symbolic link beside it, named after slot and idea, which follows the idea.
 * Invariant: only ralphctl's links are removed. A folder that blocks a link stays, and the link is omitted.
 */
import { readlink, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { entriesOf } from '../regular.js';
import { exists, type WorktreeEntry } from './list.js';

const NAME = 'ralph-tree-';

/** Whether a folder has a name of ours, also one that was moved aside. */
export const isPlace = (name: string): boolean => /^ralph-tree-\d{3,}(?:\.kept-\d+)?$/.test(name);

/** One that was moved aside. */
export const isKeptPlace = (name: string): boolean => isPlace(name) && name.includes('.kept-');

/** A folder unknown to both disk and git. Call under the repository mutex. */
export async function freePlace(root: string, entries: readonly WorktreeEntry[]): Promise<string> {
  for (let n = 1; ; n++) {
    const path = join(root, `${NAME}${String(n).padStart(3, '0')}`);
    if (!entries.some((entry) => entry.path === path) && !(await exists(path))) return path;
  }
}

/** Makes `name` the only link to the worktree. */
export async function linkPlace(path: string, name: string): Promise<void> {
  const link = join(dirname(path), name);
  if (link === path || (await readlink(link).catch(() => undefined)) === basename(path)) return;
  await unlinkPlace(path);
  // The idea's link may still point to an earlier place.
  if ((await readlink(link).catch(() => undefined))?.includes('/') === false) await rm(link, { force: true });
  await symlink(basename(path), link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Removes the links to a worktree. */
export async function unlinkPlace(path: string): Promise<void> {
  const names = (await linksIn(dirname(path))).filter(([, to]) => to === basename(path));
  await Promise.all(names.map(([name]) => rm(join(dirname(path), name), { force: true })));
}

/** Links to worktrees in a folder: names and targets. */
export async function linksIn(root: string): Promise<Array<readonly [name: string, to: string]>> {
  const found = await entriesOf(root);
  const links = found.filter((one) => one.isSymbolicLink());
  const read = async ({ name }: { name: string }) => [name, await readlink(join(root, name)).catch(() => '')] as const;
  return (await Promise.all(links.map(read))).filter(([, to]) => to !== '' && !to.includes('/'));
}
