/** Takes a landed idea off the target again, its tick included. Idempotent after a crash at any point. */
import { join } from 'node:path';
import { tickBacklog } from '../backlog/tick.js';
import { ideaDir, integrationDir } from '../config/paths.js';
import { undoIdea as undoOnTarget } from '../git/undo.js';
import type { UndoInput, UndoResult } from '../protocol/git-work.js';
import { repositoryPath, tickUntracked } from '../runs/backlog-place.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { loadOne } from './load.js';
import { dropPlace } from './plan-place.js';
import { asWorkError } from './prepare-idea.js';
import { assertRoom } from './room.js';
import { gateIn } from './run-gate.js';
import { cleanLanding, redactorOf } from './secrets.js';
import { setUp } from './set-up.js';

export async function undoIdea(deps: WorkDeps, input: UndoInput, { signal }: WorkContext): Promise<UndoResult> {
  const [run] = await loadOne(deps, input);
  const { repo, target, config, backlog } = run.file;
  await assertRoom([integrationDir(deps.root, input.project), repo], config, true);
  const ticks = run.file.tick && config.landing.tick;
  const path = ticks ? repositoryPath(repo, backlog.file) : undefined;
  const logDir = join(ideaDir(deps.root, input.project, input.runId, input.idea), 'undo');
  const where = (dir: string) => ({ ...input, dir, logDir, signal });
  const untick = (text: string): string | undefined => tickBacklog(backlog.file, text, input.idea, false);
  const result = await undoOnTarget({
    repo,
    integrationRoot: integrationDir(deps.root, input.project),
    target,
    idea: input.idea,
    title: input.title,
    agentName: input.agentName,
    ...(input.commit ? { commit: input.commit } : {}),
    sign: config.commit.sign,
    keep: config.worktrees.keep,
    ...(path === undefined ? {} : { backlog: { path, untick } }),
    setup: (dir) => setUp(deps, run, where(dir)),
    gate: (dir, onto) => gateIn(deps, run, { ...where(dir), base: onto }),
    signal,
  }).catch(asWorkError);
  if (result.kind === 'undone') await dropPlace(deps, input);
  if (result.kind === 'undone' && ticks) await tickUntracked(run.file, input.idea, false);
  return cleanLanding(result, redactorOf(deps));
}
