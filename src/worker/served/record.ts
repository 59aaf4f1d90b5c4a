/** Small files of a project: where its worker serves something, or why it does not. Commands read them. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../../config/paths.js';
import { readNote, STORED_VERSION } from '../../config/stored.js';
import { writeAtomically } from '../../run-files/run.js';

/** `keys`: the worker waits for a key and serves nothing. */
export type ServedName = 'metrics' | 'codec' | 'keys';

interface ServedRecord {
  /** Of the page. */
  address: string;
  /** Why it is not served, and the fix. */
  problem?: string | undefined;
  fix?: string | undefined;
}

const shape = z.looseObject({ address: z.string(), problem: z.string().optional(), fix: z.string().optional() });
const pathOf = (root: string, project: string, name: ServedName): string =>
  join(projectDir(root, project), `${name}.json`);

export async function writeServedRecord(
  root: string,
  project: string,
  name: ServedName,
  record: ServedRecord,
): Promise<void> {
  await writeAtomically(pathOf(root, project, name), JSON.stringify({ version: STORED_VERSION, ...record }));
}

export const removeServedRecord = (root: string, project: string, name: ServedName): Promise<void> =>
  rm(pathOf(root, project, name), { force: true });

/** Of the last worker that was to serve it; the worker may be gone. */
export const readServedRecord = (root: string, project: string, name: ServedName): Promise<ServedRecord | undefined> =>
  readNote(pathOf(root, project, name), shape, 'skip');
