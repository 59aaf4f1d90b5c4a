/**
 * Lands finished work on the target: rebased or merged, gated on the merged tree, moved by compare-and-swap.
 * Idempotent after a crash at any point: what has landed is found and not done again.
 */
import { join } from 'node:path';
import { tickBacklog } from '../backlog/tick.js';
import { ideaDir, integrationDir } from '../config/paths.js';
import { landIdea as landOnTarget } from '../git/landing.js';
import type { GateResult } from '../protocol/gate.js';
import type { LandInput, LandResult } from '../protocol/git-work.js';
import { repositoryPath, tickUntracked } from '../runs/backlog-place.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { loadOne } from './load.js';
import { dropPlace } from './plan-place.js';
import { asWorkError } from './prepare-idea.js';
import { assertRoom } from './room.js';
import { gateIn } from './run-gate.js';
import { cleanLanding, redactorOf } from './secrets.js';
import { setUp } from './set-up.js';

export async function landIdea(deps: WorkDeps, input: LandInput, { signal }: WorkContext): Promise<LandResult> {
  const [run] = await loadOne(deps, input);
  const { repo, target, config, backlog } = run.file;
  await assertRoom([integrationDir(deps.root, input.project), repo], config, true);
  const ticks = run.file.tick && config.landing.tick;
  const place = ticks ? repositoryPath(repo, backlog.file) : undefined;
  const logDir = join(ideaDir(deps.root, input.project, input.runId, input.idea), 'landing');
  const where = (dir: string) => ({ ...input, dir, logDir, signal });
  const result = await landOnTarget({
    repo,
    integrationRoot: integrationDir(deps.root, input.project),
    target,
    idea: input.idea,
    title: input.title,
    agentName: input.agentName,
    worktree: input.worktree,
    branch: input.branch,
    base: input.base,
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
    gate: (dir, onto): Promise<GateResult> => gateIn(deps, run, { ...where(dir), base: onto }),
    signal,
  }).catch(asWorkError);
  if (result.kind === 'landed') await dropPlace(deps, input);
  if (result.kind === 'landed' && ticks) await tickUntracked(run.file, input.idea);
  return cleanLanding(result, redactorOf(deps));
}
