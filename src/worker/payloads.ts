/**
 * What the worker encrypts with.
 * Invariant: the worker takes no work before it has every key of the configuration: an activity that it could not read
 * would fail, and a workflow's step would be tried again and again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { keysOfProject } from '../run-files/payload-keys.js';
import { ProjectPayloads } from '../server/payloads/project.js';
import type { WorkerLog } from './log.js';
import { removeServedRecord, writeServedRecord } from './served/record.js';

const LOOK_MS = 1000;
const AGAIN_MS = 2000;

export async function workerPayloads(
  { root, project, env }: { root: string; project: string; env: NodeJS.ProcessEnv },
  log: WorkerLog,
  signal: AbortSignal,
): Promise<ProjectPayloads> {
  const payloads = new ProjectPayloads({ keys: keysOfProject(root, project), env, lookMs: LOOK_MS, worker: true });
  let said = '';
  while (!signal.aborted) {
    const problem = await payloads.check().then(
      () => undefined,
      (error: Error) => error,
    );
    if (!problem) break;
    if (said !== problem.message) {
      log.problem('waiting for a payload key', problem);
      await writeServedRecord(root, project, 'keys', {
        address: '',
        problem: `the worker waits for a key: ${problem.message}`,
      }).catch(() => {});
    }
    said = problem.message;
    await delay(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
  await removeServedRecord(root, project, 'keys').catch(() => {});
  return payloads;
}
