/**
 * Brings the files that a broken-off update left half done to one of its two sides.
 * Invariant: changes only files that the update itself can have left: as before, as after, removed, or cut off. A file
 * with other content is a person's.
 */
import { lstat, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { type Git, git } from '../runner.js';
import { ownIndex } from '../saves/saves.js';
import { removeEmpty, removeFile, unlike } from './half-done.js';
import { blockingParent } from './in-the-way.js';

export interface Sides {
  /** Trees. */
  from: string;
  to: string;
}

interface Bringing {
  /** In the environment of the git that writes. */
  mark: Readonly<Record<string, string>>;
  /** Runs before the first change, with the files that seem to be cut off. */
  first: (cutOff: ReadonlySet<string>) => Promise<void>;
}

/** Makes the files as in `to`, wherever the update between `from` and `to` (in either direction) left them. */
export async function bringTo(checkout: string, { from, to }: Sides, { mark, first }: Bringing): Promise<void> {
  const moves = await movesOf(checkout, from, to);
  const paths = [...moves.keys()];
  const [off, offFrom] =
    paths.length > 0 ? [await unlike(checkout, to, paths), await unlike(checkout, from, paths)] : [];
  const wanted = paths.filter((path) => off?.has(path));
  const states = new Map(await Promise.all(wanted.map(async (path) => [path, await kindOf(checkout, path)] as const)));
  const strange = wanted.filter((path) => states.get(path) === 'file' && offFrom?.has(path));
  const cutOff = strange.length > 0 ? await cutOffOf(checkout, strange, [from, to]) : new Set<string>();
  await first(cutOff);
  const ours = wanted.filter((path) => states.get(path) === 'none' || !offFrom?.has(path) || cutOff.has(path));
  const isBefore = (path: string): boolean => moves.get(path) === 'in to';
  const blocked = new Map<string, Promise<boolean>>();
  const within = async (path: string): Promise<boolean> => !(await blockingParent(checkout, path, blocked));
  // First, for the room, and for files in the place of folders. git has their content, or a save.
  for (const path of ours) if (await within(path)) await removeFile(join(checkout, path));
  for (const path of paths) if (!isBefore(path) && (await within(path))) await removeEmpty(checkout, dirname(path));
  const write: string[] = [];
  for (const path of wanted) if (isBefore(path) && (await isFree(checkout, path))) write.push(path);
  if (write.length > 0) await writeFiles(git(checkout), checkout, to, write, mark);
}

type Move = 'only from' | 'in to';

/** Without submodules, which git leaves alone, and without what a sparse checkout leaves out. */
async function movesOf(checkout: string, from: string, to: string): Promise<Map<string, Move>> {
  const run = git(checkout);
  const args = ['diff-tree', '-r', '--raw', '--no-renames', '-z', from, to];
  const fields = (await run.result(args, { read: true })).stdout.split('\0');
  const listed = await run.result(['ls-files', '-t', '-z', '--full-name', ':/'], { read: true });
  const skipped = new Set(
    listed.stdout
      .split('\0')
      .filter((line) => line.startsWith('S '))
      .map((line) => line.slice(2)),
  );
  const moves = new Map<string, Move>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [meta = '', path = ''] = [fields[at], fields[at + 1]];
    const [was, is] = meta.slice(1).split(' ');
    if (was === '160000' || is === '160000' || skipped.has(path)) continue;
    moves.set(path, is === '000000' ? 'only from' : 'in to');
  }
  return moves;
}

const kindOf = (checkout: string, path: string): Promise<'none' | 'file' | 'other'> =>
  lstat(join(checkout, path)).then(
    (info) => (info.isFile() ? 'file' : 'other'),
    () => 'none',
  );

/** git with -f would remove what is in the way. */
async function isFree(checkout: string, path: string): Promise<boolean> {
  return (await kindOf(checkout, path)) === 'none' && !(await blockingParent(checkout, path));
}

async function writeFiles(
  run: Git,
  checkout: string,
  tree: string,
  paths: readonly string[],
  mark: Readonly<Record<string, string>>,
): Promise<void> {
  const scratch = await makeTemporary('sync');
  try {
    const env = { ...(await ownIndex(checkout, scratch)), ...mark };
    await run.run(['read-tree', '--reset', tree], { env });
    await run.run(['checkout-index', '-f', '-z', '--stdin'], { env, input: `${paths.join('\0')}\0` });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Of the paths, those whose file is the beginning of the one in a tree: git was killed while it wrote them. */
async function cutOffOf(checkout: string, paths: readonly string[], trees: readonly string[]): Promise<Set<string>> {
  const scratch = await makeTemporary('sync');
  const found = new Set<string>();
  try {
    for (const [n, tree] of trees.entries()) {
      const env = { GIT_INDEX_FILE: join(scratch, `index${n}`) };
      const into = join(scratch, String(n));
      await git(checkout).run(['read-tree', tree], { env });
      // As the filters write them. A path that the tree does not have is none of its files.
      const args = ['checkout-index', '-q', `--prefix=${into}/`, '-z', '--stdin'];
      await git(checkout).result(args, { env, input: `${paths.join('\0')}\0`, ok: [0, 1, 128] });
      for (const path of paths)
        if (!found.has(path) && (await isBeginning(join(checkout, path), join(into, path)))) found.add(path);
    }
    return found;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const CHUNK = 1 << 20;

async function isBeginning(path: string, whole: string): Promise<boolean> {
  const kinds = await Promise.all([path, whole].map((one) => lstat(one).catch(() => undefined)));
  const [part, all] = kinds;
  if (!part?.isFile() || !all?.isFile() || part.size >= all.size) return false;
  const files = await Promise.all([path, whole].map((one) => open(one)));
  try {
    for (let at = 0; at < part.size; at += CHUNK) {
      const size = Math.min(CHUNK, part.size - at);
      const [left, right] = await Promise.all(
        files.map(async (file) => (await file.read(Buffer.alloc(size), 0, size, at)).buffer),
      );
      if (!left || !right?.equals(left)) return false;
    }
    return true;
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}
