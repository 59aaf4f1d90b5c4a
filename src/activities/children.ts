/** Asks the server about idea workflows that the autopilot lost track of. */
import { type WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { LeftOpen, ReconcileInput, ReconcileResult } from '../protocol/activities.js';
import type { IdeaPhase, Verdict } from '../protocol/idea-run.js';
import { IDEA_STATUS, IDEA_WORKFLOW, ideaWorkflowId, STOP, VERDICT } from '../protocol/names.js';
import type { IdeaView } from '../protocol/views.js';

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

/**
 * Ideas that an earlier run left open: its autopilot was terminated. Those that are done end, because nothing else would
 * ever end them: they landed before the message arrived, or a person ticked them meanwhile. `project` must be a checked
 * name, because it is part of a query. A repeat changes nothing.
 */
export async function leftOpen(
  client: WorkflowClient,
  project: string,
  landed: ReadonlySet<string>,
): Promise<LeftOpen[]> {
  const prefix = ideaWorkflowId(project, '');
  const query = `RalphProject = '${project}' AND WorkflowType = '${IDEA_WORKFLOW}' AND ExecutionStatus = 'Running'`;
  const open: string[] = [];
  for await (const { workflowId } of client.list({ query })) {
    if (!workflowId.startsWith(prefix)) continue;
    const idea = workflowId.slice(prefix.length);
    open.push(idea);
    if (!landed.has(idea)) continue;
    const handle = client.getHandle(workflowId);
    const verdict: Verdict = { kind: 'landed', commit: '' };
    // An idea that waits for its landing takes the verdict; any other one ends after its running iteration.
    await handle.signal(VERDICT, verdict).catch(ignoreClosed);
    await handle.signal(STOP).catch(ignoreClosed);
  }
  return Promise.all(open.map(async (idea) => ({ idea, ...(await stateOf(client, ideaWorkflowId(project, idea))) })));
}

/** Phases in which its worktree and its ports go by a number. */
const HOLDS_NUMBER: Partial<Record<IdeaPhase, Pick<LeftOpen, 'state'>>> = {
  preparing: {},
  agent: {},
  'backing-off': {},
  gate: { state: 'gate' },
  paused: { state: 'rests' },
  approval: { state: 'rests' },
};

/** A workflow that cannot answer keeps the run waiting no longer than this. */
const MOST_ANSWER_MS = 10_000;

async function stateOf(client: WorkflowClient, workflowId: string): Promise<Omit<LeftOpen, 'idea'>> {
  const ask = client.withDeadline(Date.now() + MOST_ANSWER_MS, () =>
    client.getHandle(workflowId).query<IdeaView>(IDEA_STATUS),
  );
  const view = await ask.catch(() => undefined);
  if (view?.phase === 'needs-human') return { state: 'asks' };
  const held = view && HOLDS_NUMBER[view.phase];
  return held ? { agentName: view.agentName, ...held } : {};
}

/** It has ended by itself since the listing. */
function ignoreClosed(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
}
