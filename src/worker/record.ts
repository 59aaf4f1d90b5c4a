/**
 * `worker.json`, through which other commands find a project's background worker.
 * Invariant: identifies processes by pid and start time, so that a reused pid never passes for a worker.
 */
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../config/paths.js';
import { readNote, STORED_VERSION } from '../config/stored.js';
import { type Identity, isAlive } from '../process/identity.js';
import { writeAtomically } from '../run-files/run.js';

/** How often in a row the worker ended before it reached the server. */
export interface Ends {
  times: number;
  /** Time of the first one. */
  since: string;
  /** Of the last one: `exit code 1`, a signal, or why it did not start. */
  how: string;
  /** The line of the last one that names the error. */
  error?: string | undefined;
}

export interface WorkerRecord {
  /** The process that restarts the worker; in the foreground, the worker itself. */
  keeper: Identity;
  buildId: string;
  startedAt: string;
  /** The worker ends again and again: it does not work, although its keeper lives. */
  ends?: Ends | undefined;
}

const shape = z.looseObject({
  keeper: z.looseObject({ pid: z.int(), startTime: z.string() }),
  buildId: z.string(),
  startedAt: z.string(),
  ends: z.looseObject({ times: z.int(), since: z.string(), how: z.string(), error: z.string().optional() }).optional(),
});

export const workerRecordPath = (root: string, project: string): string =>
  join(projectDir(root, project), 'worker.json');
export const workerLockPath = (root: string, project: string): string => join(projectDir(root, project), 'worker.lock');

export async function writeWorkerRecord(root: string, project: string, record: WorkerRecord): Promise<void> {
  await writeAtomically(
    workerRecordPath(root, project),
    JSON.stringify({ version: STORED_VERSION, ...record }, null, 2),
  );
}

export async function removeWorkerRecord(root: string, project: string): Promise<void> {
  await rm(workerRecordPath(root, project), { force: true });
}

/** The record of a live worker; undefined without one. @throws StoredFileError for a record of a newer version */
export async function runningWorker(root: string, project: string): Promise<WorkerRecord | undefined> {
  const record = await readNote(workerRecordPath(root, project), shape, 'throw');
  if (!record || !(await isAlive(record.keeper))) return undefined;
  const { keeper, buildId, startedAt, ends } = record;
  return { keeper, buildId, startedAt, ...(ends ? { ends } : {}) };
}

/** `dead`: a kill ended the worker; a stopped worker removes its record. */
export async function workerState(root: string, project: string): Promise<'alive' | 'dead' | 'none'> {
  const there = await access(workerRecordPath(root, project)).then(
    () => true,
    () => false,
  );
  if (!there) return 'none';
  return (await runningWorker(root, project)) ? 'alive' : 'dead';
}
