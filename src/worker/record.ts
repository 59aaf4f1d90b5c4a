/**
 * `worker.json`: lets other commands find the background worker of a project.
 * Invariant: identifies processes by pid and start time, so that a recycled pid is never taken for a worker.
 */
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { projectDir } from '../config/paths.js';
import { readNote, STORED_VERSION } from '../config/stored.js';
import { type Identity, isAlive } from '../process/identity.js';
import { writeAtomically } from '../run-files/run.js';

export interface WorkerRecord {
  /** The process that restarts the worker; in the foreground, the worker itself. */
  keeper: Identity;
  buildId: string;
  startedAt: string;
}

const shape = z.looseObject({
  keeper: z.looseObject({ pid: z.int(), startTime: z.string() }),
  buildId: z.string(),
  startedAt: z.string(),
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

/** The record of a worker that is alive; undefined when none is. @throws StoredFileError for one of a newer version */
export async function runningWorker(root: string, project: string): Promise<WorkerRecord | undefined> {
  const record = await readNote(workerRecordPath(root, project), shape, 'throw');
  if (!record || !(await isAlive(record.keeper))) return undefined;
  const { keeper, buildId, startedAt } = record;
  return { keeper, buildId, startedAt };
}

/** `dead`: it was killed; a worker that was stopped removes its record. */
export async function workerState(root: string, project: string): Promise<'alive' | 'dead' | 'none'> {
  const there = await access(workerRecordPath(root, project)).then(
    () => true,
    () => false,
  );
  if (!there) return 'none';
  return (await runningWorker(root, project)) ? 'alive' : 'dead';
}
