/**
 * The link between a ralphctl worktree and the repository: a file in the worktree, and three in its registration.
 * Invariant: git in a ralphctl worktree reads only the repository's own configuration. Where that is impossible, this
 * throws, and no git runs there.
 */
import { lstat, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { namesIn, orNone, textAt } from '../regular.js';
import { stamp } from './wall-files.js';

const POINTER = /^gitdir: ([^\n]+)\n?$/;
/** As git writes it, seen from the registration. */
const COMMON = '../..\n';
const seen = new Map<string, string>();

/** Descriptions of the fixes. Throws {@link RepositoryError} where the folder is a repository of its own. */
export async function fixLink(dir: string, commonDir: string): Promise<string[]> {
  const known = seen.get(dir);
  const own = known?.split('\0', 1)[0] ?? '';
  if (known !== undefined && known === stamps(dir, own)) return [];
  const link = join(dir, '.git');
  const info = await lstat(link).catch(orNone);
  // Missing: git finds no repository, or the folder itself is gone. Other code reports that.
  if (!info) return [];
  if (info.isDirectory()) {
    // A submodule, or a clone that an agent made below.
    if (!(await registrationOf(dir, commonDir))) return [];
    throw new RepositoryError(
      `${dir} is not a worktree any more: somebody made a repository of its own there.`,
      `Move its .git away and retry: mv ${shellQuoted(link)} ${shellQuoted(`${dir}.git-aside`)}`,
    );
  }
  const fixes: string[] = [];
  let admin = info.isFile() ? await adminOf(link, commonDir) : undefined;
  if (admin === undefined) {
    admin = await registrationOf(dir, commonDir);
    if (admin === undefined) return [];
    await rm(link, { force: true });
    await writeFile(link, `gitdir: ${admin}\n`);
    fixes.push(`made ${link} point elsewhere`);
  }
  const common = join(admin, 'commondir');
  const text = await textAt(common);
  if (text === undefined || (await real(resolve(admin, text.trim()))) !== commonDir) {
    await rm(common, { recursive: true, force: true });
    await writeFile(common, COMMON);
    fixes.push(`made ${common} point elsewhere`);
  }
  if (seen.size > 500) seen.clear();
  seen.set(dir, stamps(dir, admin));
  return fixes;
}

const stamps = (dir: string, admin: string): string =>
  [admin, stamp(join(dir, '.git')), stamp(join(admin, 'commondir'))].join('\0');

/** The registration that the link names, if it belongs to this repository. */
async function adminOf(link: string, commonDir: string): Promise<string | undefined> {
  const path = POINTER.exec((await textAt(link)) ?? '')?.[1];
  if (path === undefined) return undefined;
  const admin = resolve(dirname(link), path);
  return (await real(dirname(admin))) === join(commonDir, 'worktrees') &&
    !(await lstat(admin).catch(orNone))?.isSymbolicLink()
    ? admin
    : undefined;
}

/** The registration that names the folder. */
async function registrationOf(dir: string, commonDir: string): Promise<string | undefined> {
  const names = await namesIn(join(commonDir, 'worktrees'));
  for (const name of names) {
    const admin = join(commonDir, 'worktrees', name);
    const pointer = (await textAt(join(admin, 'gitdir'))) ?? '';
    if (pointer.trim() === join(dir, '.git')) return admin;
  }
  return undefined;
}

const real = async (path: string): Promise<string> => (await realpath(path).catch(orNone)) ?? '';
