/**
 * Opens, reads and appends to the files that ralphctl wrote itself.
 * Invariant: only regular files, and only a bounded part. A folder, pipe, socket, device or huge file in the place of
 * one is an error that names it and the fix; it never blocks the process.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { shellWord } from '../protocol/shell-words.js';
import { InputError, MIB, openRegular, readInput } from './read-input.js';
import { StoredFileError } from './stored-error.js';
import { anySystemError, at } from './system-errors.js';

/** Node cannot make a text of more than 512 MB. */
const MOST_BYTES = 256 * MIB;

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

/** Undefined where there is no such file. @throws StoredFileError or SystemError */
export async function openOwn(path: string): Promise<FileHandle | undefined> {
  try {
    return await openRegular(path);
  } catch (error) {
    return missing(path, error);
  }
}

/**
 * Undefined where there is no such file.
 * @param fix a sentence for a person who finds something else there
 * @throws StoredFileError or SystemError
 */
export async function readOwn(path: string, fix?: string): Promise<string | undefined> {
  try {
    return (await readInput(path, MOST_BYTES)).toString('utf8');
  } catch (error) {
    return missing(path, error, fix);
  }
}

/** The last bytes of a file; undefined where there is no such file. @throws StoredFileError or SystemError */
export async function tailOfOwn(path: string, bytes: number): Promise<string | undefined> {
  const file = await openOwn(path);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const length = Math.min(size, bytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Appends to a file for its owner; creates it. @throws StoredFileError or SystemError */
export async function appendOwn(path: string, text: string, { flush = false } = {}): Promise<void> {
  const file = await openToAppend(path);
  try {
    await file.appendFile(text).catch(at(path));
    if (flush) await file.datasync().catch(at(path));
  } finally {
    await file.close();
  }
}

/** @throws StoredFileError, or the system's error with the path */
export async function openToAppend(path: string): Promise<FileHandle> {
  try {
    return await openRegular(path, APPEND, 0o600);
  } catch (error) {
    // The caller creates the folder and tries again.
    if (error instanceof InputError && error.fault === 'missing') throw error.cause ?? error;
    throw usable(path, error);
  }
}

function missing(path: string, error: unknown, fix?: string): undefined {
  if (error instanceof InputError && error.fault === 'missing') return undefined;
  throw usable(path, error, fix);
}

function usable(
  path: string,
  error: unknown,
  fix = `Move it away: mv ${shellWord(path)} ${shellWord(path)}.away`,
): unknown {
  if (!(error instanceof InputError) || error.fault === 'unreadable') return anySystemError(error, path) ?? error;
  return new StoredFileError(path, 'broken', `is unusable: ${error.message}`, fix);
}

/** The content of a JSON file; undefined where there is none that ralphctl can use. */
export async function jsonOf<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse((await readOwn(path)) ?? '') as T;
  } catch {
    return undefined;
  }
}
