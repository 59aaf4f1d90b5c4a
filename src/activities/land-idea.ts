/**
 * Lands finished work on the target: rebased or merged, gated on the merged tree, moved by compare-and-swap.
 * Idempotent after a crash at any point: what has landed is found and not done again.
 */
import { join } from 'node:path';
import { tickBacklog } from '../backlog/tick.js';
import { ideaDir, integrationDir } from '../config/paths.js';
import { landIdea } from '../git/landing.js';
import type { GateResult, LandInput, LandResult } from '../protocol/activities.js';
import { repositoryPath, tickUntracked } from '../runs/backlog-place.js';
import { keepAlive } from './alive.js';
import type { ActivityDeps } from './deps.js';
import { loadOne } from './load.js';
import { asFailure } from './prepare-idea.js';
import { gateIn } from './run-gate.js';
import { setUp } from './set-up.js';

export function landIdeaActivity(deps: ActivityDeps): (input: LandInput) => Promise<LandResult> {
  return async (input) => {
    const [run] = await loadOne(deps, input);
    const { repo, target, config, backlog, tick } = run.file;
    const logDir = join(ideaDir(deps.root, input.project, input.runId, input.idea), 'landing');
    const place = tick && config.landing.tick ? repositoryPath(repo, backlog.file) : undefined;
    return keepAlive(async ({ signal }) => {
      const where = (dir: string) => ({ ...input, dir, logDir, signal });
      const result = await landIdea({
        repo,
        integrationRoot: integrationDir(deps.root, input.project),
        target,
        idea: input.idea,
        title: input.title,
        agentName: input.agentName,
        worktree: input.worktree,
        branch: input.branch,
        head: input.head,
        strategy: config.landing.strategy,
        type: config.commit.type,
        sign: config.commit.sign,
        keep: config.worktrees.keep,
        tick: async (read) => {
          const before = place === undefined ? undefined : await read(place);
          const text = place && before !== undefined ? tickBacklog(place, before, input.idea) : undefined;
          return place && text !== undefined ? { path: place, text } : undefined;
        },
        setup: (dir) => setUp(deps, run, where(dir)),
        gate: (dir): Promise<GateResult> => gateIn(deps, run, where(dir)),
        signal,
      });
      if (result.kind === 'landed' && tick && config.landing.tick) await tickUntracked(run.file, input.idea);
      return result;
    }).catch(asFailure);
  };
}
