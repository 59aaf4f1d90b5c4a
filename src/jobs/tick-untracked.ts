/**
 * Ticks backlog files that git does not track.
 * Invariant: never writes a tracked file of the user's checkout; the landing commit contains its tick. No tick and no
 * edit of a person gets lost where several are written at once.
 */
import { constants, readFileSync } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { TooComplexError } from '../backlog/roadmap/chunks.js';
import { projectDir } from '../config/paths.js';
import { MAX_BACKLOG_BYTES, MIB } from '../config/read-input.js';
import { listFiles } from '../git/checkout-index.js';
import { ownWrites } from '../git/confinement/own-writes.js';
import { withLock } from '../process/lock.js';
import { replaceFile } from '../run-files/run.js';
import type { RunFile } from '../run-files/shapes.js';
import { type TickFile, tickedText } from '../run-files/ticks.js';

/** Work that landed is not done again for a file that cannot be written. */
const NOT_OURS_TO_WRITE: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG']);
const LOCK_MS = 30_000;
/** How often a person may save the file between its reading and its writing. */
const MOST_EDITS = 50;
/** A program that saves the file writes again within this time, or is done. */
const SAVE_MS = 300;
/** A program that has opened the file writes it within this time. */
const OPENED_MS = 20;

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
  clock: Clock = { now: Date.now, wait: delay },
): Promise<string | undefined> {
  const notes: string[] = [];
  const lock = join(projectDir(root, run.project), 'ticks.lock');
  for (const one of files) {
    if (one.place !== undefined) {
      const tracked = await listFiles(run.repo, '--', `:(literal)${one.place}`);
      if (tracked.length > 0) continue;
    }
    // A link to it stays a link.
    const path = await realpath(one.file).catch(() => undefined);
    if (path === undefined) continue;
    const tick = async (): Promise<string | undefined> => {
      const written = await ownWrites(run.repo, [path]);
      const why = await tickFile({ run, one, done, clock }, path);
      await written();
      return why;
    };
    const why = await withLock(lock, tick, { waitMs: LOCK_MS });
    if (why !== undefined)
      notes.push(`${one.ids.join(', ')} cannot be ${done ? 'ticked' : 'unticked'} in ${path} (${why}). Do it by hand.`);
  }
  return notes.length > 0 ? notes.join(' ') : undefined;
}

/** For the time between two looks at a file that somebody may be saving. */
interface Clock {
  /** epoch ms */
  now: () => number;
  wait: (ms: number) => Promise<unknown>;
}

interface Tick {
  run: RunFile;
  one: TickFile;
  done: boolean;
  clock: Clock;
}

/** Why it could not. */
async function tickFile({ run, one, done, clock }: Tick, path: string): Promise<string | undefined> {
  await settled(path, clock);
  for (let edits = 0; edits < MOST_EDITS; edits++) {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      const about = await file.stat();
      if (!about.isFile()) return undefined;
      if (about.size > MAX_BACKLOG_BYTES) return `it is larger than ${MAX_BACKLOG_BYTES / MIB} MB`;
      const before = await file.readFile();
      const text = utf8(before);
      const ticked = text === undefined ? undefined : tickedText(run, one, text, done);
      if (ticked === undefined) return undefined;
      const mode = about.mode & 0o777;
      if (!(await replaceFile(path, ticked, { mode, still: () => holds(path, before) }))) continue;
      const late = await savedLate(file, before, clock);
      if (late === undefined) {
        const written = await stat(path).catch(() => undefined);
        if (written) own.set(path, written.ino);
        return undefined;
      }
      // Only over what was just written: a newer save of the person stays.
      await replaceFile(path, late, { mode, still: () => holds(path, Buffer.from(ticked)) });
    } catch (error) {
      if (error instanceof TooComplexError) return error.message;
      const { code } = error as NodeJS.ErrnoException;
      if (!NOT_OURS_TO_WRITE.has(code)) throw error;
      return code;
    } finally {
      await file.close();
    }
  }
  return 'it changes all the time';
}

/** By path: the file that this process wrote last there. */
const own = new Map<string, number>();

/** Half a save must not be taken for the file. One that is written all the time is not waited for. */
async function settled(path: string, { now, wait }: Clock): Promise<void> {
  for (let looks = 0; looks < 2; looks++) {
    const info = await stat(path).catch(() => undefined);
    const age = now() - (info?.mtimeMs ?? 0);
    if (info?.ino === own.get(path) || age < 0 || age >= SAVE_MS) return;
    await wait(SAVE_MS - age);
  }
}

/**
 * A person's program may have opened the file before it was replaced, and write it afterwards. Such a save empties the
 * file first. It is complete when no more comes.
 */
async function savedLate(replaced: FileHandle, before: Buffer, { wait }: Clock): Promise<Buffer | undefined> {
  let last = before;
  for (let looks = 0; looks < MOST_EDITS; looks++) {
    await wait(looks === 0 ? OPENED_MS : SAVE_MS);
    const now = await contentOf(replaced);
    if (now.equals(before)) return undefined;
    if (now.equals(last) && now.length > 0) return now;
    last = now;
  }
  return undefined;
}

async function contentOf(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

/** Undefined: bytes that are no text would be lost. */
function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Synchronous, so that nothing comes between the look and the rename that follows. The content counts: two saves of one
 * size within a tick of the kernel's clock have the same times.
 */
function holds(path: string, content: Buffer): boolean {
  try {
    return readFileSync(path).equals(content);
  } catch {
    return false;
  }
}
