/**
 * Folders that stay in a worktree between ideas (dependencies, virtual environments): leftovers of one idea's code must
 * not reach the gate of another.
 * Invariant: after {@link proveKept} they contain the result of a clean set-up, or nothing; build caches named in the
 * configuration are the exception. Added files are removed. Where a file was changed or is missing, the whole folder is
 * removed.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { readRegular } from '../../git/regular.js';
import { contentOf, type Listed, listFiles, parseListing } from '../../process/table.js';
import { SetupError } from './copy-files.js';
import { clearKept, type KeptStamp, keptPaths, readKept, type StampPlace, takeStamp, writeKept } from './stamp.js';

export interface KeptPlace extends StampPlace {
  /** Build caches that stay as they are: paths, or ends of paths, such as `target`. */
  cache: readonly string[];
}

/** File system clocks tick coarsely: a change later than this after a set-up has a later change time. */
const TICK_MS = 20;

const isCache = (path: string, { cache }: KeptPlace): boolean =>
  cache.some((name) => `/${path}/`.includes(`/${name.replace(/^\.?\/|\/+$/g, '')}/`));

/** Call when tracked files are in place and folders that are not kept are gone. False: set-up has to run again. */
export async function proveKept(place: KeptPlace): Promise<boolean> {
  const there = (await keptPaths(place.worktree)).filter((path) => !isCache(path, place));
  const stamp = await readKept(place);
  if (stamp && (await asStamped(place, stamp, there))) return true;
  await clearKept(place);
  await removeBut(place, there);
  return there.length === 0 && !stamp;
}

/** Call right before a gate relies on what set-up left: false when somebody has changed it since. What was added goes. */
export async function stillAsStamped(place: KeptPlace): Promise<boolean> {
  const stamp = await readKept(place);
  if (!stamp) return true;
  const there = (await keptPaths(place.worktree)).filter((path) => !isCache(path, place));
  return asStamped(place, stamp, there);
}

/** Call right after a set-up that began with proven folders. */
export async function stampKept(place: KeptPlace): Promise<void> {
  const { worktree } = place;
  const there = (await keptPaths(worktree)).filter((path) => !isCache(path, place));
  await delay(TICK_MS);
  await writeKept(place, await takeStamp(worktree, there));
}

/** Removes these paths, except for the caches inside. */
export const removeKept = (place: KeptPlace, paths: readonly string[]): Promise<void> =>
  removeBut(
    place,
    paths.filter((path) => !isCache(path, place)),
  );

/** Removes added files; false when something in the stamp was changed or is missing. */
async function asStamped(place: KeptPlace, stamp: KeptStamp, there: readonly string[]): Promise<boolean> {
  const listing = await listFiles(place.worktree, there);
  if (listing === stamp.listing) return true;
  const [was, is] = [parseListing(stamp.listing), parseListing(listing)];
  for (const [path, before] of was) {
    const gone = !is.has(path) && there.some((top) => path.startsWith(top) || path === top.replace(/\/$/, ''));
    if (isCache(path, place)) continue;
    if (gone || (is.has(path) && !(await same(place, stamp, path, before, is.get(path))))) return false;
  }
  const added = [...is.keys()].filter(
    (path) => !was.has(path) && !isCache(path, place) && !holdsCache(path, is, place),
  );
  // A name that is not text cannot be addressed, and so not removed.
  if (added.some((path) => path.includes('\uFFFD'))) return false;
  await remove(place.worktree, outermost(added));
  return true;
}

async function same(
  { worktree }: KeptPlace,
  stamp: KeptStamp,
  path: string,
  was: Listed,
  is: Listed | undefined,
): Promise<boolean> {
  if (!is || was.kind !== is.kind || was.mode !== is.mode) return false;
  // Files come and go in a folder, and the files show it.
  if (was.kind === 'd') return true;
  if (was.inode !== is.inode || was.size !== is.size) return false;
  if (was.changed === is.changed) return true;
  const content = stamp.linked[path];
  return content !== undefined && content === (await contentOf(join(worktree, path)).catch(() => undefined));
}

/** A new folder that contains a cache is kept for it. */
const holdsCache = (path: string, is: ReadonlyMap<string, Listed>, place: KeptPlace): boolean =>
  place.cache.length > 0 &&
  is.get(path)?.kind === 'd' &&
  [...is.keys()].some((other) => other.startsWith(`${path}/`) && isCache(other, place));

function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => !all.has(path.slice(0, Math.max(0, path.lastIndexOf('/')))));
}

/** Removes everything but the caches inside. */
async function removeBut(place: KeptPlace, paths: readonly string[]): Promise<void> {
  if (place.cache.length === 0 || paths.length === 0) return remove(place.worktree, paths);
  const is = parseListing(await listFiles(place.worktree, paths));
  const gone = [...is.keys()].filter((path) => !isCache(path, place) && !holdsCache(path, is, place));
  await remove(place.worktree, outermost(gone));
}

async function remove(worktree: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const at = join(worktree, path);
    const done = (error: unknown): unknown => error ?? new Error('it is still there');
    const failed = await rm(at, { recursive: true, force: true }).then(() => undefined, done);
    if (!failed) continue;
    // Some tools make their cache folders read-only.
    await execa('chmod', ['-R', 'u+rwX', '--', at], { stdin: 'ignore', reject: false });
    await rm(at, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
      throw new SetupError(
        `${at} is left from another idea and cannot be removed (${error.code ?? error.message}). Remove it, then retry: rm -rf '${at}'`,
      );
    });
  }
}

/*
 * Who writes into a worktree's kept folders after its agent has ended, and before the gate relies on them?
 * Invariant: compares a listing with one of a moment ago; it names what differs and changes nothing.
 */

/** In the folder of an iteration. */
export const KEPT_FILE = 'kept.txt';
const MOST_NAMED = 5;

const listKept = async (worktree: string): Promise<string> => listFiles(worktree, await keptPaths(worktree));

/** Call when nothing works in the worktree any more. `file` is out of an agent's reach. */
export async function noteKept(worktree: string, file: string): Promise<void> {
  await writeFile(file, await listKept(worktree));
}

/** Paths that changed since {@link noteKept}, once: the gate itself may write there. Undefined when nothing was noted. */
export async function changedSinceNoted(worktree: string, file: string): Promise<string[] | undefined> {
  const noted = await readRegular(file).catch(() => undefined);
  if (noted === undefined) return undefined;
  await rm(file, { force: true });
  const listing = await listKept(worktree);
  if (listing === noted) return [];
  const [was, is] = [parseListing(noted), parseListing(listing)];
  const same = (path: string): boolean => {
    const [before, after] = [was.get(path), is.get(path)];
    // A folder's own time shows in what lies in it.
    return JSON.stringify(before) === JSON.stringify(after) || (before?.kind === 'd' && after?.kind === 'd');
  };
  const paths = new Set([...was.keys(), ...is.keys()]);
  return [...paths].filter((path) => !same(path)).slice(0, MOST_NAMED);
}
