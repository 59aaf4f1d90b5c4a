/**
 * Remembers with which key each id encrypted, so that another key under that id is found without a server.
 * Invariant: a file holds an HMAC under the key over a random salt. It tells nothing of the key, and nobody can test a guess
 * with it that a payload would not test as well. The first key of an id stays. A damaged file counts as none.
 */
import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { keyChecksDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import { writeAtomically } from './run.js';

const CHECK = z.looseObject({ version: z.literal(1), id: z.string(), salt: z.string(), check: z.string() });

/** An id may hold anything. */
const fileOf = (root: string, project: string, id: string): string =>
  join(keyChecksDir(root, project), `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`);

const checkOf = (key: KeyObject, id: string, salt: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['ralphctl key check', id, salt]))
    .digest('hex');

/** Something is encrypted with this key. */
export async function noteKey(root: string, project: string, id: string, key: KeyObject): Promise<void> {
  const file = fileOf(root, project, id);
  if (await readNote(file, CHECK, 'skip')) return;
  const salt = randomBytes(16).toString('hex');
  await mkdir(keyChecksDir(root, project), { recursive: true, mode: 0o700 });
  await writeAtomically(file, JSON.stringify({ version: 1, id, salt, check: checkOf(key, id, salt) }));
}

/** Whether another key encrypted under this id before. */
export async function isOtherKey(root: string, project: string, id: string, key: KeyObject): Promise<boolean> {
  const known = await readNote(fileOf(root, project, id), CHECK, 'skip');
  return known !== undefined && known.check !== checkOf(key, id, known.salt);
}
