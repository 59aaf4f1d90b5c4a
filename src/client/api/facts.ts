/** The server's record of a run. Invariant: it needs no worker, and a lost worker is no failure of the workflow. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { autopilotId } from '../../protocol/names.js';
import { messageOf } from './decoded.js';

export interface RunProgress {
  state: string;
  landed: number;
  total: number;
  asking: number;
  notLanded: number;
  why: string | null;
}

export interface RunFacts {
  open: boolean;
  /** `RUNNING`, `COMPLETED`, `TERMINATED` … */
  temporalStatus: string;
  startedAt: Date;
  closedAt?: Date;
  /** Temporal's run id, for links. */
  execution: string;
  runId?: string;
  /** The server knows it, worker or not. */
  progress?: RunProgress;
  /** First line of the error that makes its workflow task fail at each retry. */
  failing?: string;
  /** Time of the first of these errors. */
  failingSince?: Date;
  /** Attempts of the workflow task that fails. */
  tries?: number;
}

/** Undefined when there was no run, or its retention is over. */
export async function factsOf(client: Client, project: string): Promise<RunFacts | undefined> {
  try {
    const found = await client.workflow.getHandle(autopilotId(project)).describe();
    const failing = (found.raw.pendingWorkflowTask?.attempt ?? 0) > 1 ? await failureOf(client, project) : undefined;
    const memo = (found.memo ?? {}) as { runId?: string; progress?: RunProgress };
    return {
      open: found.status.name === 'RUNNING',
      temporalStatus: found.status.name,
      startedAt: found.startTime,
      closedAt: found.closeTime,
      execution: found.runId,
      runId: memo.runId || undefined,
      progress: memo.progress && progressNow(memo.progress, found.status.name),
      failing: failing?.text,
      failingSince: failing?.since,
      tries: failing ? (found.raw.pendingWorkflowTask?.attempt ?? undefined) : undefined,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

const ENDS: ReadonlySet<string> = new Set(['completed', 'stopped', 'aborted']);

/** A run that was ended on the server did not write its end. */
export const progressNow = (progress: RunProgress, temporalStatus: string): RunProgress =>
  temporalStatus === 'RUNNING' || ENDS.has(progress.state) ? progress : { ...progress, state: 'terminated', why: null };

/** Why the last workflow task failed. Undefined when it did not fail; a lost worker does not count. */
async function failureOf(client: Client, project: string): Promise<{ text: string; since?: Date } | undefined> {
  const { workflowService, options } = client;
  const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
    ...{ namespace: options.namespace, execution: { workflowId: autopilotId(project) }, maximumPageSize: 20 },
  });
  let found: { text: string; since?: Date } | undefined;
  for (const event of history?.events ?? []) {
    const { workflowTaskFailedEventAttributes: failed, workflowTaskCompletedEventAttributes: done, eventTime } = event;
    if (done) break;
    if (!failed) continue;
    // A message during the task makes the server repeat the task; that is no failure.
    if (failed.failure?.message === 'UnhandledCommand') break;
    const text = found?.text ?? firstLine(await messageOf(client, failed.failure));
    found = { text, ...(eventTime?.seconds ? { since: new Date(Number(eventTime.seconds) * 1000) } : {}) };
  }
  return found;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] || 'an error without a message';

export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
