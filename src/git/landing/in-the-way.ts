/**
 * What blocks the files that an update adds to a checkout.
 * Invariant: reads only, and follows no symbolic link: what is behind one is not part of the checkout.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../runner.js';
import { changedPaths, stagedPaths } from './checkout.js';

/**
 * Untracked and ignored files and links at a path that is added in `from..to`, in the place of a folder above it, and in a
 * folder at its place.
 */
export async function inTheWay(checkout: string, from: string, to: string): Promise<string[]> {
  const [added, staged] = await Promise.all([
    changedPaths(checkout, from, to, ['--diff-filter=A']),
    stagedPaths(checkout, from),
  ]);
  const known: Known = new Map();
  const at = await Promise.all(
    added.filter((path) => !staged.has(path)).map((path) => whatIsAt(checkout, path, known)),
  );
  const own = await inIndex(
    checkout,
    at.flatMap((one) => (one?.kind === 'above' ? [one.path] : [])),
  );
  const within = await untrackedIn(
    checkout,
    at.flatMap((one) => (one?.kind === 'folder' ? [one.path] : [])),
  );
  const blocking = at.flatMap((one): string[] => {
    if (one?.kind === 'folder') return within.filter((path) => path === one.path || path.startsWith(`${one.path}/`));
    return one && !(one.kind === 'above' && own.has(one.path)) ? [one.path] : [];
  });
  return [...new Set(blocking)];
}

interface Found {
  kind: 'file' | 'folder' | 'above';
  path: string;
}

async function whatIsAt(checkout: string, path: string, known: Known): Promise<Found | undefined> {
  const above = await blockingParent(checkout, path, known);
  if (above !== undefined) return { kind: 'above', path: above };
  const info = await lstat(join(checkout, path)).catch(() => undefined);
  return info && { kind: info.isDirectory() ? 'folder' : 'file', path };
}

const literal = (paths: readonly string[]): string[] => [...new Set(paths)].map((path) => `:(top,literal)${path}`);

/** A tracked file in the place of a folder goes with the update. */
async function inIndex(checkout: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const args = ['ls-files', '-z', '--full-name', '--', ...literal(paths)];
  return new Set((await git(checkout).result(args, { read: true })).stdout.split('\0'));
}

/** A folder with tracked files alone goes with the update. */
async function untrackedIn(checkout: string, folders: readonly string[]): Promise<string[]> {
  if (folders.length === 0) return [];
  const args = [
    'ls-files',
    '-o',
    '--directory',
    '--no-empty-directory',
    '-z',
    '--full-name',
    '--',
    ...literal(folders),
  ];
  const { stdout } = await git(checkout).result(args, { read: true });
  return stdout.split('\0').flatMap((path) => (path === '' ? [] : [path.replace(/\/$/, '')]));
}

type Known = Map<string, Promise<boolean>>;

/** The first parent of the path that exists and is no folder: git does not write through it. */
export async function blockingParent(
  checkout: string,
  path: string,
  known: Known = new Map(),
): Promise<string | undefined> {
  const names = path.split('/');
  for (let length = 1; length < names.length; length++) {
    const parent = names.slice(0, length).join('/');
    const blocks = known.get(parent) ?? isNoFolder(join(checkout, parent));
    known.set(parent, blocks);
    if (await blocks) return parent;
  }
  return undefined;
}

const isNoFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (info) => !info.isDirectory(),
    () => false,
  );
