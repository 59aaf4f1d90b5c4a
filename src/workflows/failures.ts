/** Reads failures that activities ended with. May import protocol and @temporalio/workflow only. */
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { FAILURE, WORKER_STOPPED } from '../protocol/failures.js';

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
