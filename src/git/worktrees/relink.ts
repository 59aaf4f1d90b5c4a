/**
 * A worktree whose link to the repository is gone, or whose place holds something else.
 * Invariant: nothing is deleted but a `.git` that is no folder. A symbolic link in the place is never followed, and a
 * repository of its own stays as it is: both are moved aside.
 */
import { lstat, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular } from '../regular.js';
import { sharedGitDir } from '../repository.js';
import { privateGitDir } from './list.js';
import { registrations } from './moved.js';

/** Whether something else is in the place of a worktree: a link, a file, or a repository of its own. */
export async function isReplaced(path: string): Promise<boolean> {
  const place = await lstat(path).catch(() => undefined);
  if (!place) return false;
  if (!place.isDirectory()) return true;
  return (await lstat(join(path, '.git')).catch(() => undefined))?.isDirectory() === true;
}

/** The private git directory of the registered worktree, its link made anew where needed; undefined: impossible. */
export async function relink(repo: string, path: string): Promise<string | undefined> {
  const sound = await privateGitDir(path);
  if (sound || (await isReplaced(path))) return sound;
  const own = (await registrations(await sharedGitDir(repo))).find((one) => one.path === path);
  if (!own || !(await readRegular(join(own.admin, 'HEAD')).catch(() => ''))) return undefined;
  const link = join(path, '.git');
  await rm(link, { force: true });
  await writeFile(link, `gitdir: ${own.admin}\n`);
  return privateGitDir(path);
}
