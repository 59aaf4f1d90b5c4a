/**
 * Ends idea workflows that an earlier autopilot left open although their idea is done: it was terminated between a
 * landing and its word of it, or a person ticked the idea meanwhile. Nobody else would ever speak to them again.
 */
import type { WorkflowClient } from '@temporalio/client';
import type { Verdict } from '../protocol/idea-run.js';
import { IDEA_WORKFLOW, ideaWorkflowId, STOP, VERDICT } from '../protocol/names.js';

/** `project` must be a checked name: it stands in a query. Telling one twice changes nothing. */
export async function endLanded(client: WorkflowClient, project: string, landed: ReadonlySet<string>): Promise<void> {
  if (landed.size === 0) return;
  const prefix = ideaWorkflowId(project, '');
  const query = `RalphProject = '${project}' AND WorkflowType = '${IDEA_WORKFLOW}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.list({ query })) {
    if (!workflowId.startsWith(prefix) || !landed.has(workflowId.slice(prefix.length))) continue;
    const handle = client.getHandle(workflowId);
    const verdict: Verdict = { kind: 'landed', commit: '' };
    // One that waits for its landing takes the verdict; in any other place it ends at its next boundary.
    await handle.signal(VERDICT, verdict).catch(ignoreClosed);
    await handle.signal(STOP).catch(ignoreClosed);
  }
}

/** It ended by itself since it was listed. */
function ignoreClosed(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
}
