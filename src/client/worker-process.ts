/** Starts and stops a project's background worker. Invariant: a project has one, however many commands ask for it. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { projectDir } from '../config/paths.js';
import { isAlive, signalIdentity } from '../process/identity.js';
import { withLock } from '../process/lock.js';
import { programFile } from '../process/program-file.js';
import { buildId } from '../worker/build-id.js';
import { removeWorkerRecord, runningWorker, type WorkerRecord, workerLockPath } from '../worker/record.js';
import type { Context } from './context.js';

/** A busy machine takes its time: only a process that has ended will not start any more. */
const START_MS = 120_000;
const SLOW_MS = 10_000;
const STOP_MS = 60_000;

/** Path of the program: every ralphctl process runs this file with other arguments. */
export const program = (): string => programFile('cli.js');

/**
 * Starts a worker unless one of this build runs. Returns when its process exists, not when it polls.
 * @param tell gets a line when that takes long
 */
export async function ensureWorker(
  context: Context,
  project: string,
  tell: (line: string) => void = () => undefined,
): Promise<WorkerRecord> {
  const ours = (record: WorkerRecord | undefined): record is WorkerRecord => record?.buildId === buildId();
  const running = await runningWorker(context.root, project);
  if (ours(running)) return running;
  await mkdir(projectDir(context.root, project), { recursive: true });
  return withLock(
    workerLockPath(context.root, project),
    async () => {
      const found = await runningWorker(context.root, project);
      if (ours(found)) return found;
      if (found) await stopWorker(context, project);
      const child = spawn(process.execPath, [program(), 'worker', '--supervise', '--project', project], {
        detached: true,
        stdio: 'ignore',
        cwd: context.root,
        env: context.env,
      });
      child.unref();
      const began = performance.now();
      let told = false;
      while (performance.now() - began < START_MS && child.exitCode === null && child.signalCode === null) {
        const record = await runningWorker(context.root, project);
        if (record) return record;
        if (!told && performance.now() - began > SLOW_MS) {
          told = true;
          tell('the background worker is still starting: the machine is slow or busy. ralphctl waits for it');
        }
        await delay(20);
      }
      // A worker that somebody started by hand may have come first.
      const record = await runningWorker(context.root, project);
      if (record) return record;
      const logs = `Its log is in ${projectDir(context.root, project)}/logs`;
      if (child.exitCode === null && child.signalCode === null)
        throw new Error(
          `the background worker has not started in ${START_MS / 1000} seconds. It may still do: ralphctl start. ${logs}`,
        );
      throw new Error(
        `the background worker did not start: it ended (${child.signalCode ?? `exit code ${child.exitCode}`}). ${logs}`,
      );
    },
    { waitMs: START_MS + STOP_MS },
  );
}

/** Asks the worker to return its work and end. True when one was running. */
export async function stopWorker({ root }: Pick<Context, 'root'>, project: string): Promise<boolean> {
  const record = await runningWorker(root, project);
  if (!record) return false;
  await signalIdentity(record.keeper, 'SIGTERM');
  const until = performance.now() + STOP_MS;
  while (performance.now() < until) {
    if (!(await isAlive(record.keeper))) return true;
    await delay(50);
  }
  // Without the record, the worker knows that the stop is intended and does not restart its supervisor.
  await removeWorkerRecord(root, project);
  await signalIdentity(record.keeper, 'SIGKILL');
  return true;
}
