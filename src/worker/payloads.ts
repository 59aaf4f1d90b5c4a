/**
 * What the worker encrypts with.
 * Invariant: the worker takes no work before it has every key of the configuration, and the one that the open run is
 * encrypted with: an activity that it could not read would fail, and a workflow's step would be tried again and again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Payload } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { autopilotId } from '../protocol/names.js';
import { keysOfProject } from '../run-files/payload-keys.js';
import { ProjectPayloads } from '../server/payloads/project.js';
import type { WorkerLog } from './log.js';
import { removeServedRecord, writeServedRecord } from './served/record.js';

const LOOK_MS = 1000;
const AGAIN_MS = 2000;
const ASK_MS = 10_000;
const RUNNING = 1;

/** The server that has the open run. */
interface At {
  connection: Pick<NativeConnection, 'workflowService' | 'withDeadline'>;
  namespace: string;
}

interface Of {
  root: string;
  project: string;
  env: NodeJS.ProcessEnv;
}

export async function workerPayloads(of: Of, at: At, log: WorkerLog, signal: AbortSignal): Promise<ProjectPayloads> {
  const { root, project, env } = of;
  let said = '';
  while (!signal.aborted) {
    const problem = await missing(of, at);
    if (!problem) break;
    if (said !== problem.message) {
      log.problem('waiting for a payload key', problem);
      await writeServedRecord(root, project, 'keys', {
        address: '',
        problem: `the worker takes no work: ${problem.message}`,
      }).catch(() => {});
    }
    said = problem.message;
    await delay(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
  await removeServedRecord(root, project, 'keys').catch(() => {});
  return new ProjectPayloads({ keys: keysOfProject(root, project), env, lookMs: LOOK_MS, worker: true });
}

/** A fresh look each time: a key that was read stays the key. */
async function missing({ root, project, env }: Of, at: At): Promise<Error | undefined> {
  const payloads = new ProjectPayloads({ keys: keysOfProject(root, project), env });
  try {
    await payloads.check();
    await payloads.decode(await memoOf(project, at));
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Of the open run. What cannot be asked is found out later. */
async function memoOf(project: string, { connection, namespace }: At): Promise<Payload[]> {
  const execution = { workflowId: autopilotId(project) };
  const found = await connection
    .withDeadline(Date.now() + ASK_MS, () =>
      connection.workflowService.describeWorkflowExecution({ namespace, execution }),
    )
    .catch(() => undefined);
  const { status, memo } = found?.workflowExecutionInfo ?? {};
  return status === RUNNING ? Object.values(memo?.fields ?? {}) : [];
}
