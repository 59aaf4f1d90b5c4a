/**
 * Agent runs that end, or begin again, without telling what they used: their worker was lost, or somebody ended them.
 * Invariant: each counts as unknown, so that no sum passes for the whole. A run that reports after all counts as it
 * reports. May import protocol and the files beside it only.
 */
import type { IdeaModel, Iteration, RunModel, Tally } from './model.js';
import { runsOf } from './tally.js';

/** The agent runs again with the same serial. A repeated event counts once. */
export function workerLost(model: RunModel, idea: IdeaModel, at: number): void {
  const run = idea.iterations.at(-1);
  if (!run || run.endedAt !== undefined || run.lost?.includes(at)) return;
  run.lost = [...(run.lost ?? []), at];
  count(model, idea, 1);
}

/** No event tells its end. */
export function endedSilently(model: RunModel, idea: IdeaModel, at: number): void {
  const run = idea.iterations.at(-1);
  if (!run || run.endedAt !== undefined) return;
  run.endedAt = at;
  if (run.durationMs !== undefined) return;
  run.silent = true;
  count(model, idea, 1);
}

/** Its end came after the idea had changed. */
export function reportedLate(model: RunModel, idea: IdeaModel, run: Iteration): void {
  if (!run.silent) return;
  delete run.silent;
  count(model, idea, -1);
}

function count(model: RunModel, idea: IdeaModel, by: 1 | -1): void {
  for (const tally of [model.spent, idea.spent]) add(tally, by);
}

function add(tally: Tally, by: 1 | -1): void {
  tally.runs = runsOf(tally) + by;
  tally.unknownTokens += by;
  tally.unknownDollars += by;
}
