/** Asks the server about idea workflows that the autopilot lost track of. */
import { type WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { ReconcileInput, ReconcileResult } from '../protocol/activities.js';
import type { Verdict } from '../protocol/idea-run.js';
import { IDEA_WORKFLOW, ideaWorkflowId, STOP, VERDICT } from '../protocol/names.js';

export async function reconcileIdeas(client: WorkflowClient, input: ReconcileInput): Promise<ReconcileResult[]> {
  return Promise.all(
    input.ideas.map(async (idea): Promise<ReconcileResult> => {
      const handle = client.getHandle(ideaWorkflowId(input.project, idea));
      try {
        const { status } = await handle.describe();
        if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return { idea, state: 'open' };
        const result: unknown = status.name === 'COMPLETED' ? await handle.result() : undefined;
        return { idea, state: 'closed', result };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return { idea, state: 'missing' };
        throw error;
      }
    }),
  );
}

/*
 * Ends idea workflows that an earlier autopilot left open although their idea is done: it was terminated between a
 * landing and its message, or a person ticked the idea meanwhile. Nothing else would ever end them.
 */

/** `project` must be a checked name, because it is part of a query. A repeat changes nothing. */
export async function endLanded(client: WorkflowClient, project: string, landed: ReadonlySet<string>): Promise<void> {
  if (landed.size === 0) return;
  const prefix = ideaWorkflowId(project, '');
  const query = `RalphProject = '${project}' AND WorkflowType = '${IDEA_WORKFLOW}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.list({ query })) {
    if (!workflowId.startsWith(prefix) || !landed.has(workflowId.slice(prefix.length))) continue;
    const handle = client.getHandle(workflowId);
    const verdict: Verdict = { kind: 'landed', commit: '' };
    // An idea that waits for its landing takes the verdict; any other one ends after its running iteration.
    await handle.signal(VERDICT, verdict).catch(ignoreClosed);
    await handle.signal(STOP).catch(ignoreClosed);
  }
}

/** It has ended by itself since the listing. */
function ignoreClosed(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
}
