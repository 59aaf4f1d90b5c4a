/**
 * Reloaded configurations of an open run: one file per revision, written before the run learns of it.
 * Invariant: a revision is written once and never changed, so activities may cache it, and the number in their input
 * names the configuration of an iteration, gate or landing.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runDir } from '../config/paths.js';
import type { Config } from '../config/schema.js';
import { parseStored, STORED_VERSION, type StoredKind } from '../config/stored.js';
import type { RunRef } from '../protocol/run-ref.js';
import { highestNumber, numbered, writeNumbered } from './numbered.js';
import { type ConfigFlags, configShape, RUN_FIX, versionShape } from './shapes.js';

export interface Revision {
  config: Config;
  tick: boolean;
  flags?: ConfigFlags;
}

const REVISION: StoredKind<Revision> = {
  schema: z.looseObject({ version: versionShape, config: configShape, tick: z.boolean() }) as unknown as z.ZodType<Revision>,
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
