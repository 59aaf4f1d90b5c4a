/**
 * What a worker does at boot about the one before it: end its agents, then hand its attempts back to the server, so that
 * the work goes on at once instead of after the heartbeat time-out.
 */
import type { AsyncCompletionClient } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { killByToken } from '../process/tokens.js';
import { FAILURE } from '../protocol/failures.js';
import { leftAttempts, unmarkAttempt } from '../runs/attempts.js';
import { bookCutOff } from '../runs/cut-off.js';
import type { WorkerLog } from './logger.js';
import { forgetTaken, keepNotes, leftTaken } from './taken.js';

export async function reap(
  root: string,
  project: string,
  completion: AsyncCompletionClient,
  log: WorkerLog,
): Promise<void> {
  const ended = await killByToken(project);
  if (ended.length > 0) log.event('ended processes of an earlier worker', { count: ended.length });
  const handed = new Set<string>();
  const handBack = async (taskToken: string, what: Record<string, unknown>): Promise<void> => {
    // An agent's attempt is marked twice: as an attempt, and as an activity.
    if (handed.has(taskToken)) return;
    handed.add(taskToken);
    const failure = ApplicationFailure.create({
      type: FAILURE.workerLost,
      message: `the worker that had it was lost`,
    });
    try {
      await completion.fail(Buffer.from(taskToken, 'base64'), failure);
      log.event('handed an attempt back', what);
    } catch (error) {
      // The server gave the attempt up already, or the idea is closed: nothing waits for it.
      log.event('an old attempt is no longer waited for', { ...what, why: (error as Error).message });
    }
  };
  for (const mark of await leftAttempts(root, project)) {
    await handBack(mark.taskToken, { idea: mark.idea, serial: mark.serial });
    await bookCutOff(root, project, mark);
    await unmarkAttempt(root, project, mark);
  }
  for (const { taskToken, ...what } of await leftTaken(root, project)) await handBack(taskToken, what);
  await forgetTaken(root, project);
  await keepNotes(root, project);
}
