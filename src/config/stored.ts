/**
 * Reads the JSON files that ralphctl wrote itself.
 * Invariant: ralphctl checks version and shape before it uses anything of a file. It reads neither a file of a newer
 * version nor half a file. A file without a version has the first one.
 */
import { z } from 'zod';
import { readOwn } from './own-files.js';
import { StoredFileError } from './stored-error.js';

export interface StoredKind<T> {
  schema: z.ZodType<T>;
  /** The fix for a broken file, as a sentence. */
  fix: string | ((path: string) => string);
}

/** The version of every format. */
export const STORED_VERSION = 1;

const versioned = z.looseObject({ version: z.int().optional() });

const fixOf = (fix: StoredKind<unknown>['fix'], path: string): string => (typeof fix === 'string' ? fix : fix(path));

/** @throws StoredFileError */
export function parseStored<T>(path: string, text: string, { schema, fix }: StoredKind<T>): T {
  const broken = (why: string): StoredFileError =>
    new StoredFileError(path, 'broken', `is damaged: ${why}`, fixOf(fix, path));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw broken(text.trim() === '' ? 'it is empty' : `it is no valid JSON: ${(error as Error).message}`);
  }
  const { data } = versioned.safeParse(value);
  if (data?.version !== undefined && data.version > STORED_VERSION) {
    const why = `has format version ${data.version}; this ralphctl reads version ${STORED_VERSION}`;
    throw new StoredFileError(path, 'newer', why, 'Use the newer ralphctl that wrote it');
  }
  const { error } = schema.safeParse(value);
  // The whole value, with fields that the schema does not name.
  if (!error) return value as T;
  const [issue] = error.issues;
  throw broken(`${issue?.path.join('.') || 'the whole file'}: ${issue?.message ?? 'unknown'}`);
}

/** Undefined where there is no such file. @throws StoredFileError, or SystemError where it cannot be read */
export async function readStored<T>(path: string, kind: StoredKind<T>): Promise<T | undefined> {
  const text = await readOwn(path, fixOf(kind.fix, path) || undefined);
  return text === undefined ? undefined : parseStored(path, text, kind);
}

/** A file that must exist. @throws StoredFileError, SystemError, or an error with code ENOENT where it is missing */
export async function readExisting<T>(path: string, kind: StoredKind<T>): Promise<T> {
  const found = await readStored(path, kind);
  if (found === undefined) throw Object.assign(new Error(`${path} is missing (ENOENT)`), { code: 'ENOENT' });
  return found;
}

/**
 * Undefined also for a damaged file: ralphctl can do without such a note. `newer`: whether a newer version is an error.
 */
export async function readNote<T>(path: string, schema: z.ZodType<T>, newer: 'throw' | 'skip'): Promise<T | undefined> {
  try {
    return await readStored(path, { schema, fix: '' });
  } catch (error) {
    if (error instanceof StoredFileError && (error.fault === 'broken' || newer === 'skip')) return undefined;
    throw error;
  }
}
