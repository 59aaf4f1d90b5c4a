/** The beginning and the end of a run, as far as files and git are concerned. */
import { join } from 'node:path';
import { toCard } from '../backlog/cards.js';
import { runDir } from '../config/paths.js';
import { landedIdeas } from '../git/landed.js';
import type { CloseRunInput, OpenRunResult, RunRef } from '../protocol/activities.js';
import { agentsQueue, gitQueue } from '../protocol/names.js';
import { writeAtomically } from '../runs/run-files.js';
import type { WorkDeps } from './deps.js';
import { load } from './load.js';

/** The cards, and which ideas have landed: the backlog says so, or the target's history does. */
export async function openRun(deps: WorkDeps, ref: RunRef): Promise<OpenRunResult> {
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

export async function closeRun(deps: WorkDeps, input: CloseRunInput): Promise<void> {
  await load(deps, input);
  const dir = runDir(deps.root, input.project, input.runId);
  await writeAtomically(join(dir, 'summary.json'), JSON.stringify(input.summary, null, 2));
}
