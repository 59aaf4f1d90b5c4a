/**
 * Leftovers of a moved or renamed repository: worktrees whose `.git` file names the old place.
 * Invariant: only a dead link is rewritten. A copied repository names the worktrees of the original and must not take
 * them. Must not start git.
 */
import { lstat, readlink, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { namesIn, orNone, readRegular, textAt } from '../regular.js';
import { canonical, exists } from './list.js';

const POINTER = /^gitdir: ([^\n]+)\n?$/;

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
    const named = POINTER.exec(await readRegular(link))?.[1];
    if (named === undefined) return undefined;
    const gitDir = await realpath(resolve(checkout, named));
    const common = (await textAt(join(gitDir, 'commondir'))) ?? '.';
    return await realpath(resolve(gitDir, common.trim()));
  } catch (error) {
    return orNone(error);
  }
}

/** Worktrees registered in the repository. */
export async function registrations(commonDir: string): Promise<Registration[]> {
  const root = join(commonDir, 'worktrees');
  const names = await namesIn(root);
  const found = await Promise.all(
    names.map(async (name) => {
      const admin = join(root, name);
      const back = ((await textAt(join(admin, 'gitdir'))) ?? '').trim();
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
    const named = POINTER.exec((await textAt(link)) ?? '')?.[1];
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

/*
 * A checkout whose HEAD git cannot read. To git that is no repository at all, so only a look at the file explains it.
 * Must not start git.
 */

/** In place of the text of a pipe, a folder or a huge file, into which nobody can write. */
const NO_FILE = '?';
/** The same rule as in git. */
const READABLE = /^(?:ref:\s*refs\/|[0-9a-f]{40})/;

/** The problem and its fix; undefined: no problem, or no git directory. */
export async function brokenHead(checkout: string, branch = 'main'): Promise<string | undefined> {
  const gitDir = await gitDirAt(checkout).catch(orNone);
  if (gitDir === undefined) return undefined;
  const file = join(gitDir, 'HEAD');
  const text = await headAt(file).catch(orNone);
  if (text !== undefined && READABLE.test(text)) return undefined;
  const how = text === undefined ? 'missing' : text.trim() === '' ? 'empty' : 'not one that git can read';
  // `git symbolic-ref` refuses to work there.
  return `HEAD of the checkout ${checkout} is broken (${file} is ${how}), so git finds no repository there. Fix it: ${text === NO_FILE ? `rm -r ${shellQuoted(file)}; ` : ''}echo 'ref: refs/heads/${branch}' > ${shellQuoted(file)}`;
}

/** Whether git can read this HEAD. */
export const readableHead = (file: string): Promise<boolean> =>
  headAt(file).then(
    (text) => READABLE.test(text),
    (error: unknown) => orNone(error) ?? false,
  );

/** Only where the rest of a repository exists. */
async function gitDirAt(checkout: string): Promise<string | undefined> {
  const link = join(checkout, '.git');
  if ((await stat(link)).isDirectory()) return (await stat(join(link, 'objects'))).isDirectory() ? link : undefined;
  const named = /^gitdir: ([^\n]+)\n?$/.exec(await readRegular(link))?.[1];
  const gitDir = named === undefined ? undefined : resolve(checkout, named);
  return gitDir !== undefined && (await stat(gitDir)).isDirectory() ? gitDir : undefined;
}

async function headAt(file: string): Promise<string> {
  const info = await lstat(file);
  if (info.isSymbolicLink()) return `ref: ${await readlink(file)}`;
  // Anything else there, for example a pipe, must not block the read.
  return info.isFile() && info.size < 4096 ? readRegular(file) : NO_FILE;
}
