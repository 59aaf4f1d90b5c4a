/**
 * The folders that a cleaning may touch, and how it removes one.
 * Invariant: it follows no symbolic link below the state folder, and touches nothing of another user. What goes gets
 * another name first, in one step, so that a crash leaves it whole or gone; the next cleaning deletes the rest.
 */
import { randomUUID } from 'node:crypto';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const TRASH = '.cleaning-';
/** As `trashName` makes them; a person may have others that begin like them. */
const TRASH_NAME = /^\.cleaning-([1-9]\d{0,9})-[0-9a-f]{8}$/;

/** Why it cannot be cleaned, as a part of a sentence; undefined where it can. `missing` is no trouble. */
export async function troubleOf(path: string, { file = false } = {}): Promise<string | undefined> {
  const about = await lstat(path).catch((error: NodeJS.ErrnoException) => error);
  if (about instanceof Error) return about.code === 'ENOENT' ? 'missing' : (about.code ?? about.message);
  if (about.isSymbolicLink()) return 'it is a symbolic link, which ralphctl does not follow';
  if (!about.isDirectory() && !(file && about.isFile())) return 'it is no folder';
  const self = process.geteuid?.();
  if (self !== undefined && about.uid !== self) return `it belongs to user ${about.uid}, and this is user ${self}`;
  return undefined;
}

/** Collects what cannot be cleaned, a sentence each. */
export class Stays {
  readonly told: string[] = [];

  /** Whether the folder is there and may be cleaned. */
  async mayClean(path: string): Promise<boolean> {
    const trouble = await troubleOf(path);
    if (trouble !== undefined && trouble !== 'missing') this.#add(path, trouble);
    return trouble === undefined;
  }

  #add(path: string, why: string): void {
    this.told.push(`${path} cannot be cleaned: ${why}`);
  }

  /** Does a step. What the system refuses there is told, and the cleaning goes on. */
  async trying(path: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#addError(path, error);
    }
  }

  /** For an error of the system: a folder without write permission, a read-only disk. */
  #addError(path: string, error: unknown): void {
    const { code, message, path: at = path } = error as NodeJS.ErrnoException;
    const why = code === 'EACCES' || code === 'EPERM' ? `no permission to write there (${code})` : (code ?? message);
    this.#add(at, why);
  }
}

/** A name for what goes, which nothing else has. */
export const trashName = (dir: string): string => join(dir, `${TRASH}${process.pid}-${randomUUID().slice(0, 8)}`);

/** Takes a folder or file out of its place; returns its new name, beside it. */
export async function takeAway(path: string): Promise<string> {
  const name = trashName(dirname(path));
  await rename(path, name);
  return name;
}

/** Deletes what was taken away. */
export const deleteAway = (name: string): Promise<void> => rm(name, { recursive: true, force: true, maxRetries: 2 });

/** Deletes what cleanings that were killed left in a folder; returns its bytes. Call under the lock of cleanings. */
export async function sweep(dir: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(dir).catch(() => [])) {
    const [, pid] = TRASH_NAME.exec(name) ?? [];
    if (pid === undefined || livesElsewhere(Number(pid))) continue;
    const path = join(dir, name);
    if ((await troubleOf(path, { file: true })) !== undefined) continue;
    bytes += await sizeOf(path);
    await deleteAway(path);
  }
  return bytes;
}

/** Two projects may have their worktrees in one folder. This process itself cleans one at a time. */
function livesElsewhere(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Disk space of a file or folder, without links below it. Stops counting when it is asked to. */
export async function sizeOf(path: string, stop: () => boolean = () => false): Promise<number> {
  const about = await lstat(path).catch(() => undefined);
  if (!about) return 0;
  let bytes = onDisk(about);
  if (!about.isDirectory()) return bytes;
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => [])) {
    if (stop()) break;
    const inner = join(path, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(inner, stop);
    else bytes += onDisk(await lstat(inner).catch(() => undefined));
  }
  return bytes;
}

/** What a file takes, which is less than its length where it has holes. */
export const onDisk = (about: { blocks: number } | undefined): number => (about?.blocks ?? 0) * 512;
