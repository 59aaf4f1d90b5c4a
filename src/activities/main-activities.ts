/** Light activities of the main queue: opening, reconciling and closing a run. */
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { toCard } from '../backlog/cards.js';
import { runDir } from '../config/paths.js';
import { landedIdeas } from '../git/landed.js';
import type {
  CloseRunInput,
  MainActivities,
  OpenRunResult,
  ReconcileInput,
  ReconcileResult,
  RunRef,
} from '../protocol/activities.js';
import { agentsQueue, gitQueue, ideaWorkflowId } from '../protocol/names.js';
import { writeAtomically } from '../runs/run-files.js';
import type { ActivityDeps } from './deps.js';
import { load } from './load.js';

export function mainActivities(deps: ActivityDeps): MainActivities {
  return {
    openRun: (input) => openRun(deps, input),
    reconcileIdeas: (input) => reconcileIdeas(deps, input),
    closeRun: (input) => closeRun(deps, input),
  };
}

async function openRun(deps: ActivityDeps, ref: RunRef): Promise<OpenRunResult> {
  const run = await load(deps, ref);
  const { repo, target } = run.file;
  const onTarget = new Set(await landedIdeas(repo, target));
  const ideas = [...run.ideas.values()];
  return {
    agentsQueue: agentsQueue(ref.project, deps.host),
    gitQueue: gitQueue(ref.project, deps.host),
    target,
    cards: ideas.map(toCard),
    landed: ideas.filter((idea) => idea.done || onTarget.has(idea.id)).map((idea) => idea.id),
  };
}

async function reconcileIdeas(deps: ActivityDeps, input: ReconcileInput): Promise<ReconcileResult[]> {
  return Promise.all(
    input.ideas.map(async (idea): Promise<ReconcileResult> => {
      const handle = deps.client.getHandle(ideaWorkflowId(input.project, idea));
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

async function closeRun(deps: ActivityDeps, input: CloseRunInput): Promise<void> {
  await load(deps, input);
  const dir = runDir(deps.root, input.project, input.runId);
  await writeAtomically(join(dir, 'summary.json'), JSON.stringify(input.summary, null, 2));
}
