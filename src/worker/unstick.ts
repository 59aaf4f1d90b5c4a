/**
 * What a worker does at boot about the queue of the one before it: workflows that were in that one's cache are offered to
 * it first, and wait there until the server gives up. This tells the server to let them go at once.
 * Invariant: helps or does nothing; a worker starts without it, too.
 */
import type { Client } from '@temporalio/client';
import { autopilotId, ideaWorkflowId } from '../protocol/names.js';
import { leftAttempts } from '../runs/attempts.js';
import { leftTaken } from './taken.js';

/** The run, and the ideas that something was done for: those are about to be handed back. */
export async function unstick(client: Client, root: string, project: string): Promise<void> {
  const marks = await leftAttempts(root, project).catch(() => []);
  const taken = await leftTaken(root, project).catch(() => []);
  const ideas = new Set([...marks, ...taken].flatMap(({ idea }) => idea ?? []));
  const ids = [autopilotId(project), ...[...ideas].map((idea) => ideaWorkflowId(project, idea))];
  const { namespace } = client.options;
  await Promise.allSettled(
    ids.map((workflowId) => client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId } })),
  );
}
