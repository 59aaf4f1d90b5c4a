/**
 * Ticks backlog files that git does not track.
 * Invariant: never writes a tracked file of the user's checkout; the landing commit contains its tick. No tick and no
 * edit of a person gets lost where several are written at once.
 */
import { type BigIntStats, statSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '../config/paths.js';
import { git } from '../git/runner.js';
import { withLock } from '../process/lock.js';
import { replaceFile } from '../run-files/run.js';
import type { RunFile } from '../run-files/shapes.js';
import { type TickFile, tickedText } from '../run-files/ticks.js';

/** Work that landed is not done again for a file that cannot be written. */
const NOT_OURS_TO_WRITE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG']);
const LOCK_MS = 30_000;
/** How often a person may save the file between its reading and its writing. */
const MOST_EDITS = 50;

/**
 * Sets or removes ticks in the user's own backlog files when no commit can contain them, because a file is untracked or
 * outside the repository. One at a time: pull requests may be merged together. An edit of a person in that moment stays.
 * @returns a sentence for a person about files that cannot be written
 */
export async function tickUntracked(
  root: string,
  run: RunFile,
  files: readonly TickFile[],
  done = true,
): Promise<string | undefined> {
  const notes: string[] = [];
  const lock = join(projectDir(root, run.project), 'ticks.lock');
  for (const one of files) {
    if (one.place !== undefined) {
      const tracked = await git(run.repo).run(['ls-files', '--', `:(literal)${one.place}`]);
      if (tracked.trim() !== '') continue;
    }
    // A link to it stays a link.
    const path = await realpath(one.file).catch(() => undefined);
    if (path === undefined) continue;
    const why = await withLock(lock, () => tickFile(run, one, path, done), { waitMs: LOCK_MS });
    if (why !== undefined)
      notes.push(`${one.ids.join(', ')} cannot be ${done ? 'ticked' : 'unticked'} in ${path} (${why}). Do it by hand.`);
  }
  return notes.length > 0 ? notes.join(' ') : undefined;
}

/** Why it could not. */
async function tickFile(run: RunFile, one: TickFile, path: string, done: boolean): Promise<string | undefined> {
  for (let edits = 0; edits < MOST_EDITS; edits++) {
    const about = await stat(path, { bigint: true }).catch(() => undefined);
    if (!about?.isFile()) return undefined;
    try {
      const text = utf8(await readFile(path));
      const ticked = text === undefined ? undefined : tickedText(run, one, text, done);
      if (ticked === undefined) return undefined;
      const mode = Number(about.mode) & 0o777;
      if (await replaceFile(path, ticked, { mode, still: () => isAsBefore(path, about) })) return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!NOT_OURS_TO_WRITE.has(code)) throw error;
      return code;
    }
  }
  return 'it changes all the time';
}

/** Undefined: bytes that are no text would be lost. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Synchronous, so that nothing comes between the look and the rename that follows. */
function isAsBefore(path: string, { ino, size, mtimeNs, ctimeNs }: BigIntStats): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  return now?.ino === ino && now.size === size && now.mtimeNs === mtimeNs && now.ctimeNs === ctimeNs;
}
