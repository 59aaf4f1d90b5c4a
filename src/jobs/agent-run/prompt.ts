/** Builds the prompt of one iteration from the idea, its plan and earlier results. */
import { join } from 'node:path';
import type { PlanSection } from '../../agents/prompt/plan-section.js';
import { buildPrompt } from '../../agents/prompt/prompt.js';
import { iterationDir } from '../../config/paths.js';
import { MIB, readInput } from '../../config/read-input.js';
import type { RunAgentInput, RunAgentResult } from '../../protocol/agent-run.js';
import type { Idea } from '../../protocol/idea.js';
import type { LoadedRun } from '../../run-files/run.js';
import type { WorkDeps } from '../job.js';
import { earlierAnswers } from './answers.js';
import { readResult } from './result.js';

/** `previous`: the run before this one, of any iteration. */
export async function promptFor(
  deps: WorkDeps,
  run: LoadedRun,
  idea: Idea,
  input: RunAgentInput,
  nonce: string,
  previous: RunAgentResult | undefined,
): Promise<string> {
  const [chosen, plan, answers] = await Promise.all([
    template(run),
    planOf(deps, input, idea),
    earlierAnswers(deps.root, input),
  ]);
  return buildPrompt({
    idea,
    iteration: input.iteration,
    maxIterations: input.maxIterations,
    feedback: input.feedback,
    unchanged: input.unchanged,
    notes: input.notes,
    answers,
    nonce,
    template: chosen,
    plan,
    protect: run.file.config.gate.protect,
    restored: previous?.restored,
    replaced: previous?.replaced,
  });
}

async function template(run: LoadedRun): Promise<string | undefined> {
  const path = run.file.config.prompt.template;
  return path ? (await readInput(join(run.file.repo, path), MIB)).toString('utf8') : undefined;
}

/** Maximum number of iterations whose last messages go into the digest of a plan. */
const MOST_LOOKED_AT = 40;

async function planOf(deps: WorkDeps, input: RunAgentInput, { plan }: Idea): Promise<PlanSection | undefined> {
  if (!plan || input.step === undefined) return undefined;
  const first = Math.max(1, input.serial - MOST_LOOKED_AT);
  const dirs = Array.from({ length: input.serial - first }, (_, n) =>
    iterationDir(deps.root, input.project, input.runId, input.idea, first + n),
  );
  const results = await Promise.all(dirs.map(readResult));
  const notes = results.flatMap((result) =>
    result?.step !== undefined && result.signal.kind === 'complete' ? [{ step: result.step, text: result.tail }] : [],
  );
  // When several messages claim one step, the last one counted.
  const last = [...new Map(notes.map((note) => [note.step, note])).values()];
  return { plan, step: input.step, skipped: input.skippedSteps ?? [], notes: last };
}
