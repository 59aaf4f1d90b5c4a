/**
 * Folders that stay in a worktree from one idea to the next (dependencies, virtual environments): what the code of one idea
 * left in them must not reach the gate of another.
 * Invariant: after {@link proveKept} they hold what a clean set-up left, or nothing; build caches that the configuration
 * names are the exception. What was added goes; where anything was changed or is missing, all of it goes.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { contentOf, type Listed, listFiles, parseListing } from '../../process/table.js';
import { SetupError } from './copy-files.js';
import { clearKept, type KeptStamp, keptPaths, readKept, takeStamp, writeKept } from './stamp.js';

export interface KeptPlace {
  worktree: string;
  gitDir: string;
  /** Build caches that stay as they are: paths, or ends of paths, such as `target`. */
  cache: readonly string[];
}

/** Clocks of file systems tick coarsely: what changes later than this after a set-up has a later change time. */
const TICK_MS = 20;

const isCache = (path: string, { cache }: KeptPlace): boolean =>
  cache.some((name) => `/${path}/`.includes(`/${name.replace(/^\.?\/|\/+$/g, '')}/`));

/** Call when tracked files are as they are to be and what is not kept is gone. False: set-up has to run again. */
export async function proveKept(place: KeptPlace): Promise<boolean> {
  const { worktree, gitDir } = place;
  const there = (await keptPaths(worktree)).filter((path) => !isCache(path, place));
  const stamp = await readKept(gitDir, worktree);
  if (stamp && (await asStamped(place, stamp, there))) return true;
  await clearKept(gitDir);
  await removeBut(place, there);
  return there.length === 0 && !stamp;
}

/** Call right before a gate relies on what set-up left: false when somebody has changed it since. What was added goes. */
export async function stillAsStamped(place: KeptPlace): Promise<boolean> {
  const stamp = await readKept(place.gitDir, place.worktree);
  if (!stamp) return true;
  const there = (await keptPaths(place.worktree)).filter((path) => !isCache(path, place));
  return asStamped(place, stamp, there);
}

/** Call right after a set-up that began with proven folders. */
export async function stampKept(place: KeptPlace): Promise<void> {
  const { worktree, gitDir } = place;
  const there = (await keptPaths(worktree)).filter((path) => !isCache(path, place));
  await delay(TICK_MS);
  await writeKept(gitDir, await takeStamp(worktree, there));
}

/** Takes out what was added; false when something of the stamp was changed or is missing. */
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
  // A name that is no text cannot be named, and so not be removed.
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
  // Files come and go in a folder, which is seen in the files.
  if (was.kind === 'd') return true;
  if (was.inode !== is.inode || was.size !== is.size) return false;
  if (was.changed === is.changed) return true;
  const content = stamp.linked[path];
  return content !== undefined && content === (await contentOf(join(worktree, path)));
}

/** A new folder in which a cache lies is kept for it. */
const holdsCache = (path: string, is: ReadonlyMap<string, Listed>, place: KeptPlace): boolean =>
  place.cache.length > 0 &&
  is.get(path)?.kind === 'd' &&
  [...is.keys()].some((other) => other.startsWith(`${path}/`) && isCache(other, place));

function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => !all.has(path.slice(0, Math.max(0, path.lastIndexOf('/')))));
}

/** Removes all of it but the caches that lie within. */
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
    // Caches of some tools are read-only folders.
    await execa('chmod', ['-R', 'u+rwX', '--', at], { stdin: 'ignore', reject: false });
    await rm(at, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
      throw new SetupError(
        `${at} is left from another idea and cannot be removed (${error.code ?? error.message}). Remove it, then retry: rm -rf '${at}'`,
      );
    });
  }
}
