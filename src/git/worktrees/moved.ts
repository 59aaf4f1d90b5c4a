/**
 * Leftovers of a moved or renamed repository: worktrees whose `.git` file names the old place.
 * Invariant: only a dead link is rewritten. A copied repository names the worktrees of the original and must not take
 * them. Must not start git.
 */
import { readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { canonical, exists } from './list.js';

const POINTER = /^gitdir: (.+)\n?$/;

interface Registration {
  /** Folder of the worktree. */
  path: string;
  /** Its folder in the git directory. */
  admin: string;
}

/** The git directory that a checkout shares with its worktrees, links resolved; undefined where there is none. */
export async function commonDirAt(checkout: string): Promise<string | undefined> {
  try {
    const link = join(checkout, '.git');
    if ((await stat(link)).isDirectory()) return (await exists(join(link, 'HEAD'))) ? await realpath(link) : undefined;
    const named = POINTER.exec(await readFile(link, 'utf8'))?.[1];
    if (named === undefined) return undefined;
    const gitDir = await realpath(resolve(checkout, named));
    const common = await readFile(join(gitDir, 'commondir'), 'utf8').catch(() => '.');
    return await realpath(resolve(gitDir, common.trim()));
  } catch {
    return undefined;
  }
}

/** Worktrees registered in the repository. */
export async function registrations(commonDir: string): Promise<Registration[]> {
  const root = join(commonDir, 'worktrees');
  const names = await readdir(root).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const admin = join(root, name);
      const back = (await readFile(join(admin, 'gitdir'), 'utf8').catch(() => '')).trim();
      return back === '' ? [] : [{ admin, path: await canonical(dirname(resolve(admin, back))) }];
    }),
  );
  return found.flat();
}

/** Relinks worktrees that lost their repository; returns their paths. */
export async function repairLinks(commonDir: string): Promise<string[]> {
  const repaired: string[] = [];
  for (const { path, admin } of await registrations(commonDir)) {
    const link = join(path, '.git');
    const named = POINTER.exec(await readFile(link, 'utf8').catch(() => ''))?.[1];
    if (named === undefined || (await exists(resolve(path, named)))) continue;
    await writeFile(link, `gitdir: ${admin}\n`);
    repaired.push(path);
  }
  return repaired;
}

/** The repository's registration of a worktree that belongs to another repository: this one is a copy. */
export async function copiedRegistration(commonDir: string, path: string): Promise<string | undefined> {
  const owner = await commonDirAt(path);
  if (owner === undefined || owner === commonDir) return undefined;
  const wanted = await canonical(path);
  return (await registrations(commonDir)).find((one) => one.path === wanted)?.admin;
}
