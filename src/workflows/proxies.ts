/**
 * Activity proxies with their time limits and retry rules.
 * Invariant: the server never retries an agent run; the workflow decides that, so that two agents never share a
 * worktree. All other activities are idempotent and may be retried.
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
import { FAILURE, WORKER_LOST, WORKER_STOPPED } from '../protocol/failures.js';
import type { RunRef } from '../protocol/run-ref.js';

/** Missed heartbeats before the server times out an activity. Workers send one every 3 s. */
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

/** An alert that nobody takes for hours is given up; until then its row waits. */
export const alertActivities = (row: string): Pick<MainActivities, 'deliverAlert'> =>
  proxyActivities<MainActivities>({
    summary: `alert to ${row}`,
    startToCloseTimeout: '2 minutes',
    scheduleToCloseTimeout: '7 days',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: '2s',
      backoffCoefficient: 2,
      maximumInterval: '10 minutes',
      maximumAttempts: 24,
      nonRetryableErrorTypes: NEVER_RETRY,
    },
  });

/** The answer of a tracker is a result; only a lost worker is retried here. */
export const trackerActivities = (summary: string): Pick<MainActivities, 'claimItem' | 'tellTracker' | 'planWave'> =>
  proxyActivities<MainActivities>({
    summary,
    startToCloseTimeout: '15 minutes',
    scheduleToCloseTimeout: '7 days',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: RETRY,
  });

/** Of the git queue: one idea lands at a time, and all others wait for it. */
export const LANDING_FIRST = 1;

/** Each call has a summary, so that the Web UI names the idea on every event. */
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

/* Reads the failures of activities. May import protocol and @temporalio/workflow only. */

/**
 * Why the work itself is not at fault and is retried without a charge: the worker was lost or shut down during the
 * activity, or the machine ran out of a resource. Undefined for any other failure.
 */
export function notTheWorksFault(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'HEARTBEAT' ? WORKER_LOST : timeRanOut(error);
  if (!(cause instanceof ApplicationFailure)) return undefined;
  if (cause.type === FAILURE.machine) return cause.message;
  return cause.type === FAILURE.workerLost ? WORKER_LOST : undefined;
}

/**
 * Whether a worker crashed during the activity, by itself or because of it. A worker that shuts down and reports it
 * does not count.
 */
export function tookWorkerDown(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'HEARTBEAT';
  return (
    cause instanceof ApplicationFailure && cause.type === FAILURE.workerLost && !cause.details?.includes(WORKER_STOPPED)
  );
}

/** No worker took the activity in time: nothing has begun. */
export function wasNotTaken(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) return false;
  return error.cause.timeoutType === 'SCHEDULE_TO_START';
}

/**
 * The reason, when nobody could work on the activity in all its time, for example on a machine that was off. It is
 * retried.
 */
export function timeRanOut(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) return undefined;
  // The last retry may have failed in its own way; the server reports that no time was left for another.
  const out = error.cause.timeoutType === 'SCHEDULE_TO_CLOSE' || error.retryState === 'TIMEOUT';
  return out ? 'no worker finished it in time; ralphctl retries it' : undefined;
}

/** As a sentence; the queue name has the host behind its `@`. */
export const noWorkerOn = (queue: string): string =>
  `no worker on ${queue.slice(queue.lastIndexOf('@') + 1)} takes its work; start one there: ralphctl worker`;

/** The reason, when a full disk prevented an activity from starting anything. */
export function diskIsFull(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return undefined;
  return error.cause.type === FAILURE.diskFull ? error.cause.message : undefined;
}

/** The disk or another resource of the machine ran out: the work had no part in it. */
export const isMachines = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof ApplicationFailure &&
  (error.cause.type === FAILURE.machine || error.cause.type === FAILURE.diskFull);

/** One line for a person; undefined when the error is not an activity's, because a bug must not be hidden. */
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
  config,
});
