/**
 * Numbered files in a folder (`1.json`, `2.json`). Each number belongs to one writer.
 * Invariant: no writer overwrites a numbered file, and each is complete from its creation on, because another process
 * may read it at any time.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { runDir } from '../config/paths.js';
import type { Config } from '../config/schema/config.js';
import { readExisting, STORED_VERSION, type StoredKind } from '../config/stored.js';
import { at } from '../config/system-errors.js';
import type { RunRef } from '../protocol/run-ref.js';
import { type ConfigFlags, configShape, runFix, versionShape } from './shapes.js';

export const numbered = (folder: string, number: number): string => join(folder, `${number}.json`);

/** The highest number; 0 without files. */
export async function highestNumber(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  return Math.max(0, ...names.map((name) => Number(name.replace(/\.json$/, ''))).filter(Number.isInteger));
}

/**
 * Writes the result of `next` for the highest number. Calls `next` again when another writer was first. Returns its own
 * number.
 */
export async function writeNumbered(folder: string, next: (highest: number) => Promise<string>): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const highest = await highestNumber(folder);
    const text = await next(highest);
    if (await createWhole(numbered(folder, highest + 1), text)) return highest + 1;
  }
}

/** False when the file exists. Creates it by link, because a file written in place is empty for a moment. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    return at(path)(error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/*
 * Reloaded configurations of an open run: one file per revision, written before the run learns of it.
 * Invariant: a revision is written once and never changes, so activities may cache it, and the number in their input
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
  fix: (path) => runFix(dirname(dirname(path))),
};

const folder = (root: string, { project, runId }: RunRef): string => join(runDir(root, project, runId), 'config');
export const revisionPath = (root: string, ref: RunRef, revision: number): string =>
  numbered(folder(root, ref), revision);

/** @throws when the revision is missing; StoredFileError when it is damaged or of a newer version */
export async function readRevision(root: string, ref: RunRef, revision: number): Promise<Revision> {
  return readExisting(revisionPath(root, ref, revision), REVISION);
}

/** Number of the newest revision; 0: the run still has its first configuration. */
export const lastRevision = (root: string, ref: RunRef): Promise<number> => highestNumber(folder(root, ref));

/** Writes the next revision. Returns its number. */
export function writeRevision(root: string, ref: RunRef, revision: Revision): Promise<number> {
  const text = JSON.stringify({ version: STORED_VERSION, ...revision });
  return writeNumbered(folder(root, ref), () => Promise.resolve(text));
}

/** Removes a revision that the run rejected. */
export async function dropRevision(root: string, ref: RunRef, revision: number): Promise<void> {
  await rm(revisionPath(root, ref, revision), { force: true });
}
