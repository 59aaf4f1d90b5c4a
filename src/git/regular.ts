/**
 * Reads files and folders of a repository that an agent may have replaced.
 * Invariant: waits on no pipe and reads no device, folder or huge file: those are errors at once. A read that the machine
 * refuses (no file descriptor is free, a disk error) is an error, too, and never the same as a missing file: a watch would
 * report work that nobody touched as deleted. Must not import anything of ours.
 */
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** More than any reflog or list of packed refs that git still works with. */
const LONGEST = 256 << 20;

/** Tests change the waits. */
export const READING = {
  /** How many files and folders one process reads at a time: a repository may have thousands of loose refs. */
  atOnce: 32,
  /** For a file descriptor, ms. */
  waitsMs: [20, 50, 100, 200, 400, 800, 1600, 1600] as readonly number[],
};

/** Something else is in the place of a file. */
class NoFileError extends Error {
  override name = 'NoFileError';
}

/** What is in the place, or above it, explains the error. Any other says nothing about the place. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'ENAMETOOLONG']);
/** git may not read there either. */
const DENIED = new Set(['EACCES', 'EPERM']);

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code);

/** Whether the user has no right to read there. */
export const isDenied = (error: unknown): boolean => DENIED.has(codeOf(error));

/**
 * For `catch`: undefined where there is nothing that git could read as a file or folder.
 * @throws any other error, as it is: nobody knows what is there
 */
export function orNone(error: unknown): undefined {
  if (error instanceof NoFileError || ABSENT.has(codeOf(error)) || isDenied(error)) return undefined;
  throw error;
}

/** Does `work` again, for some seconds, while no file descriptor is free; then throws the system's error. */
export async function patiently<T>(work: () => T | Promise<T>): Promise<T> {
  for (const ms of READING.waitsMs) {
    try {
      return await work();
    } catch (error) {
      if (!['EMFILE', 'ENFILE'].includes(codeOf(error))) throw error;
    }
    await delay(ms);
  }
  return work();
}

let reading = 0;
const queue: (() => void)[] = [];

/** In a turn of its own. `work` must not read in another one. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (reading >= READING.atOnce) await new Promise<void>((resolve) => queue.push(resolve));
  else reading += 1;
  try {
    return await patiently(work);
  } finally {
    const next = queue.shift();
    if (next) next();
    else reading -= 1;
  }
}

/** Like `open` for reading, also while descriptors are short for a moment. Does not wait at a pipe. */
export const openToRead = (path: string, flags = 0): Promise<FileHandle> =>
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  patiently(() => open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags));

/** @throws where the file is missing, not a regular file, or too long */
export const readRegular = (path: string, encoding: 'utf8' | 'base64' = 'utf8'): Promise<string> =>
  inTurn(async () => {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const about = await file.stat();
      if (!about.isFile()) throw new NoFileError(`${path} is not a regular file`);
      if (about.size > LONGEST) throw new NoFileError(`${path} is longer than ${LONGEST >> 20} MB`);
      return await file.readFile(encoding);
    } finally {
      await file.close();
    }
  });

/** Undefined where there is no file that git could read. @throws where nobody knows */
export const textAt = (path: string): Promise<string | undefined> => readRegular(path).catch(orNone);

/** The lines of a file, however long it is; none where there is no file. @throws where nobody can read it */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const input = (await openToRead(path).catch(orNone))?.createReadStream({ encoding: 'utf8' });
  if (!input) return;
  input.on('error', () => undefined);
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    orNone(error);
  } finally {
    input.destroy();
  }
}

/** @throws where the folder is missing, or none */
export const readFolder = (path: string): Promise<Dirent[]> => inTurn(() => readdir(path, { withFileTypes: true }));

/** Empty where there is no folder that git could read. @throws where nobody knows */
export const entriesOf = async (path: string): Promise<Dirent[]> => (await readFolder(path).catch(orNone)) ?? [];

/** Their names alone. */
export const namesIn = async (path: string): Promise<string[]> => (await entriesOf(path)).map(({ name }) => name);

/** Runs `work` for each, a few at a time. The first failure starts no more. */
export async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const one of left) {
      if (failed) return;
      try {
        await work(one);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: READING.atOnce }, worker));
}
