/**
 * Numbered files of a folder (`1.json`, `2.json`): the next number belongs to one writer.
 * Invariant: a numbered file is never written twice, and has its whole text from the moment that it exists: a reader or
 * another writer may look at any time.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runDir } from '../config/paths.js';
import type { Config } from '../config/schema/config.js';
import { parseStored, STORED_VERSION, type StoredKind } from '../config/stored.js';
import type { RunRef } from '../protocol/run-ref.js';
import { type ConfigFlags, configShape, RUN_FIX, versionShape } from './shapes.js';

export const numbered = (folder: string, number: number): string => join(folder, `${number}.json`);

/** The highest number; 0 before the first. */
export async function highestNumber(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  return Math.max(0, ...names.map((name) => Number(name.replace(/\.json$/, ''))).filter(Number.isInteger));
}

/** Writes what `next` makes of the highest number. Asks again when another writer was first. Returns its own number. */
export async function writeNumbered(folder: string, next: (highest: number) => Promise<string>): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const highest = await highestNumber(folder);
    const text = await next(highest);
    if (await createWhole(numbered(folder, highest + 1), text)) return highest + 1;
  }
}

/** False when the file exists. A link, because a file that is created and then filled is empty for a moment. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/*
 * Reloaded configurations of an open run: one file per revision, written before the run learns of it.
 * Invariant: a revision is written once and never changed, so activities may cache it, and the number in their input
 * names the configuration of an iteration, gate or landing.
 */

export interface Revision {
  config: Config;
  tick: boolean;
  flags?: ConfigFlags;
}

const REVISION: StoredKind<Revision> = {
  schema: z.looseObject({
    version: versionShape,
    config: configShape,
    tick: z.boolean(),
  }) as unknown as z.ZodType<Revision>,
  fix: RUN_FIX,
};

const folder = (root: string, { project, runId }: RunRef): string => join(runDir(root, project, runId), 'config');
const path = (root: string, ref: RunRef, revision: number): string => numbered(folder(root, ref), revision);

/** @throws when there is no such revision; StoredFileError when it is damaged or of a newer version */
export async function readRevision(root: string, ref: RunRef, revision: number): Promise<Revision> {
  const file = path(root, ref, revision);
  return parseStored(file, await readFile(file, 'utf8'), REVISION);
}

/** Number of the newest one; 0: the run has its first configuration. */
export const lastRevision = (root: string, ref: RunRef): Promise<number> => highestNumber(folder(root, ref));

/** Writes the next revision. Returns its number. */
export function writeRevision(root: string, ref: RunRef, revision: Revision): Promise<number> {
  const text = JSON.stringify({ version: STORED_VERSION, ...revision });
  return writeNumbered(folder(root, ref), () => Promise.resolve(text));
}

/** Removes a revision that the run refused. */
export async function dropRevision(root: string, ref: RunRef, revision: number): Promise<void> {
  await rm(path(root, ref, revision), { force: true });
}
