/**
 * A worktree whose link to the repository is gone, or whose place holds something else.
 * Invariant: nothing is deleted but a `.git` that is no folder, a repository without an object, and one that is too many
 * (`kept-repositories.ts`). A symbolic link in the place is never followed, and a repository of its own stays as it is:
 * both are moved aside. After a run of the idea's own agent, only its `.git` is: the files are the agent's work.
 */
import { lstat, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orNone, textAt } from '../regular.js';
import { sharedGitDir } from '../repository.js';
import { saveCommits, tooManyKept } from './kept-repositories.js';
import { freeName } from './leftovers.js';
import { privateGitDir } from './list.js';
import { registrations } from './moved.js';

/** Whether something else is in the place of a worktree: a link, a file, or a repository of its own. */
export async function isReplaced(path: string): Promise<boolean> {
  const place = await lstat(path).catch(orNone);
  if (!place) return false;
  if (!place.isDirectory()) return true;
  return (await lstat(join(path, '.git')).catch(orNone))?.isDirectory() === true;
}

/** The private git directory of the registered worktree, its link made anew where needed; undefined: impossible. */
export async function relink(repo: string, path: string): Promise<string | undefined> {
  const sound = await privateGitDir(path);
  if (sound || (await isReplaced(path))) return sound;
  const admin = await registrationOf(repo, path);
  return admin === undefined ? undefined : linkTo(admin, path);
}

async function registrationOf(repo: string, path: string): Promise<string | undefined> {
  const own = (await registrations(await sharedGitDir(repo))).find((one) => one.path === path);
  return own && (await textAt(join(own.admin, 'HEAD'))) ? own.admin : undefined;
}

async function linkTo(admin: string, path: string): Promise<string | undefined> {
  const link = join(path, '.git');
  await rm(link, { force: true });
  await writeFile(link, `gitdir: ${admin}\n`);
  return privateGitDir(path);
}

/** A `git init` without an object: nothing was ever added or committed there. */
async function isEmptyRepository(gitDir: string): Promise<boolean> {
  if (!(await lstat(join(gitDir, 'HEAD')).catch(orNone))?.isFile()) return false;
  const inside = ['objects', 'refs', 'modules', 'worktrees', 'packed-refs', 'index', 'logs'];
  const found = await Promise.all(
    inside.map(async (name) => {
      const about = await lstat(join(gitDir, name)).catch(orNone);
      if (!about?.isDirectory()) return about !== undefined;
      const all = await readdir(join(gitDir, name), { recursive: true, withFileTypes: true });
      return all.some((one) => !one.isDirectory());
    }),
  );
  return !found.includes(true);
}

/** `aside`: the repository that was in the place of the link. */
export interface LinkedAgain {
  aside?: string;
}

/**
 * Puts the link back that the idea's own agent deleted or replaced, and keeps all files as they are. Undefined: the link is
 * sound, or more than it is lost. Must come before any git in the worktree.
 */
export async function putLinkBack(repo: string, path: string, idea: string): Promise<LinkedAgain | undefined> {
  if ((await privateGitDir(path)) || !(await lstat(path).catch(orNone))?.isDirectory()) return undefined;
  const admin = await registrationOf(repo, path);
  if (admin === undefined) return undefined;
  const link = join(path, '.git');
  const isFolder = (await lstat(link).catch(orNone))?.isDirectory() === true;
  const aside = isFolder && !(await isEmptyRepository(link)) ? await freeName(path) : undefined;
  if (isFolder && aside === undefined) await rm(link, { recursive: true, force: true });
  if (aside !== undefined) await rename(link, aside);
  const linked = await linkTo(admin, path);
  if (aside !== undefined) await boundKept(repo, path, idea);
  return linked ? { ...(aside === undefined ? {} : { aside }) } : undefined;
}

/** An agent may make one in every iteration. */
async function boundKept(repo: string, path: string, idea: string): Promise<void> {
  for (const one of await tooManyKept(path))
    if (one.same !== undefined || (await saveCommits(repo, idea, one.path)))
      await rm(one.path, { recursive: true, force: true });
}
