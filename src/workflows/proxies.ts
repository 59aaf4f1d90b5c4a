/**
 * Activity proxies with their time limits and retry rules.
 * Invariant: an agent run is never retried by the server (the workflow decides, so that two agents never share a
 * worktree); everything else is idempotent and may be.
 */
import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import { type ActivityTimes, MOST_TRIES } from '../decide/idea/activity-times.js';
import type { AgentActivities, GitActivities, MainActivities } from '../protocol/activities.js';
import { FAILURE, WORKER_STOPPED } from '../protocol/failures.js';
import type { RunRef } from '../protocol/run-ref.js';

/** Missed heartbeats after which the server gives an activity up. Workers beat every 3 s. */
const HEARTBEAT_TIMEOUT = '20s';
const NEVER_RETRY = [FAILURE.badInput, FAILURE.runFilesMissing, FAILURE.repository, FAILURE.setup];
const RETRY = {
  initialInterval: '500ms',
  backoffCoefficient: 2,
  maximumInterval: '30s',
  maximumAttempts: MOST_TRIES,
  nonRetryableErrorTypes: NEVER_RETRY,
} as const;

export function mainActivities(): MainActivities {
  return proxyActivities<MainActivities>({
    startToCloseTimeout: '2 minutes',
    scheduleToCloseTimeout: '7 days',
    retry: RETRY,
  });
}

/** Of the git queue: one idea lands at a time, and every other waits for it. */
export const LANDING_FIRST = 1;

/** Typed with a summary per call, so that the Web UI names the idea on every event. */
export function gitActivities(
  taskQueue: string,
  summary: string,
  times: ActivityTimes,
  priorityKey = 3,
): GitActivities {
  return proxyActivities<GitActivities>({
    taskQueue,
    summary,
    priority: { priorityKey },
    ...times,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: RETRY,
  });
}

export function agentActivities(taskQueue: string, summary: string, times: ActivityTimes): AgentActivities {
  return proxyActivities<AgentActivities>({
    taskQueue,
    summary,
    ...times,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { maximumAttempts: 1 },
  });
}

/* Reads failures that activities ended with. May import protocol and @temporalio/workflow only. */

/**
 * Why nothing is known to be wrong with the work itself, and it is tried again at no cost: the worker went away or was
 * shut down while the activity ran, or the machine has run out of something. Undefined for any other failure.
 */
export function notTheWorksFault(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const { cause } = error;
  if (cause instanceof TimeoutFailure)
    return cause.timeoutType === 'HEARTBEAT' ? 'the worker was lost' : timeRanOut(error);
  if (!(cause instanceof ApplicationFailure)) return undefined;
  if (cause.type === FAILURE.machine) return cause.message;
  return cause.type === FAILURE.workerLost ? 'the worker was lost' : undefined;
}

/**
 * Whether a worker went down with the activity, by itself or by what the activity ran. One that is told to stop, and says
 * so, is none.
 */
export function tookWorkerDown(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'HEARTBEAT';
  return (
    cause instanceof ApplicationFailure && cause.type === FAILURE.workerLost && !cause.details?.includes(WORKER_STOPPED)
  );
}

/** No worker took the activity in time: nothing was begun. */
export function wasNotTaken(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) return false;
  return error.cause.timeoutType === 'SCHEDULE_TO_START';
}

/** Why, when nobody could work on the activity in all its time, as on a machine that was off. It is tried again. */
export function timeRanOut(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) return undefined;
  // The last try may have ended in its own way; the server says that no time was left for another.
  const out = error.cause.timeoutType === 'SCHEDULE_TO_CLOSE' || error.retryState === 'TIMEOUT';
  return out ? 'no worker got it done in time; it is tried again' : undefined;
}

/** In words; the queue names the host behind its `@`. */
export const noWorkerOn = (queue: string): string =>
  `no worker on ${queue.slice(queue.lastIndexOf('@') + 1)} takes its work; start one there: ralphctl worker`;

/** The reason, when an activity started nothing because a disk is full. */
export function diskIsFull(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return undefined;
  return error.cause.type === FAILURE.diskFull ? error.cause.message : undefined;
}

/** One line for a person, or undefined when the error is not an activity's (a bug must not be swallowed). */
export function activityProblem(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) return undefined;
  const cause = error.cause;
  if (wasNotTaken(error)) return `no worker took ${error.activityType} in time; start one: ralphctl worker`;
  if (cause instanceof TimeoutFailure) return `${error.activityType} did not finish in time`;
  return cause?.message ?? error.message;
}

export const refOf = ({ project, runId, config }: RunRef): RunRef => ({
  project,
  runId,
  ...(config === undefined ? {} : { config }),
});
