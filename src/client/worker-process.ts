/** Starts and stops a project's background worker. Invariant: a project has one, however many commands ask for it. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { projectDir } from '../config/paths.js';
import { haltedWith } from '../process/halted.js';
import { isAlive, signalIdentity } from '../process/identity.js';
import { withLock } from '../process/lock.js';
import { programFile } from '../process/program-file.js';
import { buildId } from '../worker/build-id.js';
import { removeWorkerRecord, runningWorker, type WorkerRecord, workerLockPath } from '../worker/record.js';
import type { Context } from './context.js';
import { LONGEST_START_MS, openOutput, untilRecorded } from './supervisor-start.js';

const STOP_MS = 60_000;

/** Path of the program: every ralphctl process runs this file with other arguments. */
export const program = (): string => programFile('cli.js');

/** The command line of a project's supervisor, after Node's. */
const supervisor = (project: string): string[] => [program(), 'worker', '--supervise', '--project', project];

/**
 * Starts a worker unless one of this build runs. Returns when its process exists, not when it polls.
 * @param tell gets a line when that takes long
 * @throws Error that says why it did not start
 */
export async function ensureWorker(
  context: Context,
  project: string,
  tell: (line: string) => void = () => undefined,
  { command = supervisor(project), stillMs }: { command?: readonly string[]; stillMs?: number } = {},
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
      const output = await openOutput(context.root, project);
      const child = spawn(process.execPath, [...command], {
        detached: true,
        stdio: ['ignore', 'ignore', output?.fd ?? 'ignore'],
        cwd: context.root,
        env: context.env,
      });
      child.unref();
      try {
        return await untilRecorded({ root: context.root, project, child, tell, stillMs });
      } finally {
        await output?.close();
      }
    },
    { waitMs: LONGEST_START_MS + STOP_MS },
  );
}

/** Asks the worker to return its work and end. True when one was running. */
export async function stopWorker({ root }: Pick<Context, 'root'>, project: string): Promise<boolean> {
  const record = await runningWorker(root, project);
  if (!record) return false;
  const halted = await haltedWith(record.keeper).catch(() => []);
  await signalIdentity(record.keeper, 'SIGTERM');
  for (const one of halted) await signalIdentity(one, 'SIGCONT');
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
