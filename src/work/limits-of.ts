/** The limits of an idea: its own, else those of the run's configuration. */
import type { IdeaLimits } from '../protocol/activities.js';
import type { Idea } from '../protocol/idea.js';
import type { LoadedRun } from '../runs/run-files.js';

export function limitsOf(idea: Idea, run: LoadedRun): IdeaLimits {
  const { config } = run.file;
  return {
    maxIterations: idea.maxIterations ?? config.maxIterations,
    timeoutMs: (idea.timeoutMinutes ?? config.timeoutMinutes) * 60_000,
    iterationTimeoutMs: (idea.iterationTimeoutMinutes ?? config.iterationTimeoutMinutes) * 60_000,
    loop: idea.ralph,
    allowEmpty: idea.allowEmpty,
    ...(idea.plan ? { attempts: idea.plan.reduce((sum, phase) => sum + phase.steps.length, 0) } : {}),
  };
}
