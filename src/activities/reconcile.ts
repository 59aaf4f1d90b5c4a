/** Asks the server about idea workflows that the autopilot lost track of. */
import { type WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { ReconcileInput, ReconcileResult } from '../protocol/activities.js';
import { ideaWorkflowId } from '../protocol/names.js';

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
