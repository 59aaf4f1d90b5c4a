/**
 * Sends an activity's heartbeats and turns its cancellation into an AbortSignal.
 * Invariant: only a person's cancellation ends as cancelled. A worker that goes away ends as `workerLost`, which costs
 * the idea nothing.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import { FAILURE, WORKER_STOPPED } from '../protocol/failures.js';

const BEAT_MS = 3000;
/** Each heartbeat is a write of the server's database, and most activities end sooner. */
const FIRST_BEAT_MS = 1000;

export interface Alive {
  /** Aborts when the server, a person or a shutdown ends this attempt. */
  signal: AbortSignal;
  /** Sent with the next heartbeat; shown as heartbeat details. */
  say(details: unknown): void;
}

export async function keepAlive<T>(work: (alive: Alive) => Promise<T>): Promise<T> {
  const context = Context.current();
  let details: unknown;
  const beat = (): void => context.heartbeat(details);
  const first = setTimeout(beat, FIRST_BEAT_MS);
  const timer = setInterval(beat, BEAT_MS);
  const signal = context.cancellationSignal;
  try {
    const result = await work({
      signal,
      say: (next) => {
        details = next;
      },
    });
    if (signal.aborted && !personAsked(context)) throw lost(context);
    return result;
  } catch (error) {
    if (signal.aborted && !personAsked(context)) throw lost(context);
    if (signal.aborted) await context.cancelled;
    throw error;
  } finally {
    clearTimeout(first);
    clearInterval(timer);
  }
}

/** True when a person cancelled; false for shutdown, timeout, reset and a missing workflow. */
export function personAsked(context: Context): boolean {
  if (!context.cancellationSignal.aborted) return false;
  if (isShutdown(context)) return false;
  return context.cancellationDetails?.cancelRequested === true;
}

function isShutdown({ cancellationSignal }: Context): boolean {
  const reason: unknown = cancellationSignal.reason;
  return reason instanceof Error && reason.message === 'WORKER_SHUTDOWN';
}

const lost = (context: Context): ApplicationFailure =>
  ApplicationFailure.create({
    type: FAILURE.workerLost,
    message: `the worker gave up ${context.info.activityType}; the next worker runs it again`,
    nonRetryable: false,
    ...(isShutdown(context) ? { details: [WORKER_STOPPED] } : {}),
  });
