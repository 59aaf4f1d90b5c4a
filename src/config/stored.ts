/**
 * Reads the JSON files that ralphctl wrote itself.
 * Invariant: ralphctl checks version and shape before it uses anything of a file. It reads neither a file of a newer
 * version nor half a file. A file without a version has the first one.
 * Must import the base of user-facing errors and zod only.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { UserError } from '../protocol/user-error.js';

/** A stored file that cannot be used. The message names the file and the fix. */
export class StoredFileError extends UserError {
  constructor(
    readonly path: string,
    readonly fault: 'newer' | 'broken',
    why: string,
    fix: string,
  ) {
    super(`${path} ${why}. ${fix}`, undefined, fix);
  }
}

export interface StoredKind<T> {
  schema: z.ZodType<T>;
  /** The fix for a broken file, as a sentence. */
  fix: string;
}

/** The version of every format. */
export const STORED_VERSION = 1;

const versioned = z.looseObject({ version: z.int().optional() });

/** @throws StoredFileError */
export function parseStored<T>(path: string, text: string, { schema, fix }: StoredKind<T>): T {
  const broken = (why: string): StoredFileError => new StoredFileError(path, 'broken', `is damaged: ${why}`, fix);
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

/** Undefined where there is no such file. @throws StoredFileError, or why the file cannot be read */
export async function readStored<T>(path: string, kind: StoredKind<T>): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    // A part of the path is a file, so the file does not exist.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  return parseStored(path, text, kind);
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
