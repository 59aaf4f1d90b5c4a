/**
 * Reads the JSON files that ralphctl wrote itself.
 * Invariant: nothing of such a file is used before its version and its shape are checked, so a file of a newer ralphctl
 * is never taken for an older one, and half a file never for a whole one. A file without a version is of the first one.
 * Must import the base of user-facing errors and zod only.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { UserError } from '../protocol/user-error.js';

/** A file of ours that cannot be used; the message names it and the fix. */
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
  /** What a person does about a broken one, as a sentence. */
  fix: string;
}

/** The version of every format so far. */
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
  // As it was written: what the schema does not name is kept, too.
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
    // Below a file, there is none either.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  return parseStored(path, text, kind);
}

/** Undefined for a damaged file, too: for notes that help or do nothing. A newer one is an error where `newer` says so. */
export async function readNote<T>(path: string, schema: z.ZodType<T>, newer: 'throw' | 'skip'): Promise<T | undefined> {
  try {
    return await readStored(path, { schema, fix: '' });
  } catch (error) {
    if (error instanceof StoredFileError && (error.fault === 'broken' || newer === 'skip')) return undefined;
    throw error;
  }
}
