/**
 * Ideas whose workflows are open although no run is: somebody terminated the autopilot. Their agents work until the next
 * start takes them over, or a person ends them.
 * Invariant: it needs no worker. The server's list may lag by a moment, so each workflow is asked for its state.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { ABORT, IDEA_WORKFLOW, ideaWorkflowId } from '../../protocol/names.js';

export interface LeftWorking {
  idea: string;
  /** `waits`: nothing of it works; it asks, waits for a slot or to land. */
  doing: 'agent' | 'gate' | 'other' | 'waits';
  /** Milliseconds; of an idea that waits, the begin of its workflow. */
  since: number;
}

export const worksNow = ({ doing }: LeftWorking): boolean => doing !== 'waits';

const DOING: Readonly<Record<string, LeftWorking['doing']>> = { runAgent: 'agent', runGate: 'gate' };

/** By their names. `project` must be a checked name, because it is part of a query. */
export async function leftWorking(client: Client, project: string): Promise<LeftWorking[]> {
  const prefix = ideaWorkflowId(project, '');
  const query = `RalphProject = '${project}' AND WorkflowType = '${IDEA_WORKFLOW}' AND ExecutionStatus = 'Running'`;
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query }))
    if (workflowId.startsWith(prefix)) ids.push(workflowId.slice(prefix.length));
  const found = await Promise.all(ids.sort().map((idea) => askOne(client, project, idea)));
  return found.filter((one) => one !== undefined);
}

async function askOne(client: Client, project: string, idea: string): Promise<LeftWorking | undefined> {
  try {
    const { status, startTime, raw } = await client.workflow.getHandle(ideaWorkflowId(project, idea)).describe();
    if (status.name !== 'RUNNING') return undefined;
    const [work] = raw.pendingActivities ?? [];
    if (!work) return { idea, doing: 'waits', since: startTime.getTime() };
    const seconds = work.lastStartedTime?.seconds ?? work.scheduledTime?.seconds;
    const since = seconds ? Number(seconds) * 1000 : startTime.getTime();
    return { idea, doing: DOING[work.activityType?.name ?? ''] ?? 'other', since };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

const POLL_MS = 200;

/**
 * Ends the idea: its worker ends the agent and saves its changes. Without an answer within `waitMs`, the server ends the
 * workflow alone. The caller then ends what is left of the processes.
 */
export async function endLeft(client: Client, project: string, idea: string, waitMs: number): Promise<void> {
  const handle = client.workflow.getHandle(ideaWorkflowId(project, idea));
  try {
    await handle.signal(ABORT);
    for (const end = performance.now() + waitMs; performance.now() < end; await delay(POLL_MS))
      if ((await handle.describe()).status.name !== 'RUNNING') return;
    await handle.terminate('ended by a person, after its run was terminated');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
