/** Reads failures that activities ended with. May import protocol and @temporalio/workflow only. */
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { FAILURE } from '../protocol/failures.js';

/** The worker went away or was shut down while the activity ran: nothing is known to be wrong with the work itself. */
export function workerWasLost(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  if (cause instanceof ApplicationFailure) return cause.type === FAILURE.workerLost;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'HEARTBEAT';
}

/** The reason, when an activity started nothing because a disk is full. */
export function diskIsFull(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return undefined;
  return error.cause.type === FAILURE.diskFull ? error.cause.message : undefined;
}

/** One line for a person, or undefined when the error is not an activity's (a bug must not be swallowed). */
export function activityProblem(error: unknown): string | undefined {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) return undefined;
  const cause = error.cause;
  if (cause instanceof TimeoutFailure) return `${error.activityType} did not finish in time`;
  return cause?.message ?? error.message;
}
