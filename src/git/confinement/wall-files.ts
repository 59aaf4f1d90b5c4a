/**
 * The files of a shared git directory that decide what git runs, shows and leaves out: configuration, attributes,
 * excludes, grafts, alternates, hooks. Read whole, compared by content, and restored.
 * Invariant: follows no path from the files themselves and waits on no pipe. A removed file is kept first.
 */
import { randomBytes } from 'node:crypto';
import { type BigIntStats, lstatSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { namesIn, orNone, readRegular } from '../regular.js';
import { ownFiles } from './wall-deep.js';

/** The recorded state of a file. */
export interface Kept {
  /** base64 */
  data: string;
  mode: number;
  /** Target of a symbolic link. */
  link?: string;
}
/** By path, relative to the shared git directory. A missing path did not exist. */
export type Files = Record<string, Kept>;

const FIXED = [
  'config',
  'config.worktree',
  'info/attributes',
  'info/exclude',
  'info/grafts',
  'objects/info/alternates',
];
/** A fetch may extend this file. Only its creation is checked, because it hides history. */
const SHALLOW = 'shallow';
const HOOKS = 'hooks';
/** No relevant file is longer. */
const LONGEST = 4 << 20;

/** The present state of every watched file. `before`: also files that existed then. */
export async function readFiles(commonDir: string, before?: Files): Promise<Files> {
  const hooks = await namesIn(join(commonDir, HOOKS));
  const names = new Set([
    ...FIXED,
    // git runs no hook of such a name.
    ...hooks.filter((name) => !name.endsWith('.sample')).map((name) => `${HOOKS}/${name}`),
    ...ownFiles(commonDir),
    ...Object.keys(before ?? {}),
  ]);
  if (before === undefined || !(SHALLOW in before)) names.add(SHALLOW);
  else names.delete(SHALLOW);
  const files: Files = {};
  await Promise.all(
    [...names].map(async (name) => {
      const one = await readOne(join(commonDir, name));
      if (one) files[name] = one;
    }),
  );
  if (before?.[SHALLOW]) files[SHALLOW] = before[SHALLOW];
  return files;
}

async function readOne(path: string): Promise<Kept | undefined> {
  const info = await lstat(path).catch(orNone);
  if (!info) return undefined;
  const mode = info.mode & 0o777;
  if (info.isSymbolicLink()) return { data: '', mode, link: await readlink(path) };
  // A folder, a pipe or a device in its place cannot come from git.
  if (!info.isFile() || info.size > LONGEST)
    return { data: '', mode, link: `(${info.isFile() ? 'too long' : 'no file'})` };
  return { data: (await readRegular(path, 'base64').catch(orNone)) ?? '', mode };
}

export const same = (a: Kept | undefined, b: Kept | undefined): boolean =>
  a?.data === b?.data && a?.link === b?.link && ((a?.mode ?? 0) & 0o111) === ((b?.mode ?? 0) & 0o111);

export const textOf = (file: Kept | undefined): string => Buffer.from(file?.data ?? '', 'base64').toString('utf8');

/**
 * Changes with every write to one of the files: the system keeps the time of the last change, and nobody can set it
 * back. Costs a few microseconds a file.
 */
export function fingerprint(commonDir: string, files: Files): string {
  const names = [...new Set([...FIXED, SHALLOW, HOOKS, 'info', ...ownFiles(commonDir), ...Object.keys(files)])];
  return names.map((name) => `${name} ${stamp(join(commonDir, name))}`).join('\n');
}

/** Nothing also where a plain file is in place of a folder above it. */
export function there(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function stamp(path: string): string {
  const info = there(path);
  return info ? `${info.ino} ${info.size} ${info.mode} ${info.mtimeNs} ${info.ctimeNs}` : '-';
}

/** The last change of a file, or of the nearest existing folder above it; epoch ms. */
export function changedAt(path: string): number {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const info = there(at);
    if (info) return Number(info.ctimeNs / 1000n) / 1000;
  }
  return Date.now();
}

/** Restores the file. Its present content goes to `kept`. */
export async function putBack(path: string, was: Kept | undefined, kept: string): Promise<void> {
  await mkdir(dirname(kept), { recursive: true, mode: 0o700 });
  const is = there(path);
  if (is?.isFile()) await writeFile(kept, await readFile(path), { mode: 0o600 });
  else if (is && !is.isDirectory() && !is.isSymbolicLink()) {
    // Whoever looked at a pipe would wait for ever.
    await rm(path, { force: true });
    await writeFile(kept, '(a pipe or a device)\n', { mode: 0o600 });
  } else if (is) await rename(path, kept).catch(() => rm(path, { recursive: true, force: true }));
  if (!was) await rm(path, { recursive: true, force: true });
  else {
    await clearWay(dirname(path), kept);
    await mkdir(dirname(path), { recursive: true });
    // A rename, so that git never reads half of it.
    const fresh = `${path}.ralphctl-${randomBytes(4).toString('hex')}`;
    if (was.link !== undefined) await symlink(was.link, fresh);
    else {
      await writeFile(fresh, Buffer.from(was.data, 'base64'), { mode: was.mode });
      await chmod(fresh, was.mode);
    }
    await rename(fresh, path);
  }
}

/** Moves a plain file away that is in place of the folder. */
async function clearWay(folder: string, kept: string): Promise<void> {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const is = there(at);
    if (is?.isFile()) await rename(at, kept);
    if (is) return;
  }
}
