/**
 * Activity proxies with their time limits and retry rules.
 * Invariant: an agent run is never retried by the server (the workflow decides, so that two agents never share a
 * worktree); everything else is idempotent and may be.
 */
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import { type ActivityTimes, MOST_TRIES } from '../decide/activity-times.js';
import type { AgentActivities, GitActivities, MainActivities } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';

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
