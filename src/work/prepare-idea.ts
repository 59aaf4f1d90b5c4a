/**
 * Makes an idea's worktree ready: created, recycled or adopted; reopened after a landing that bounced; set up.
 * Idempotent: running it again finds what it made. Refuses rather than loses work.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ideaDir, worktreesDir } from '../config/paths.js';
import { SetupError } from '../gate/setup.js';
import { RepositoryError } from '../git/errors.js';
import { reopenForConflict, reopenForRed } from '../git/reopen.js';
import { targetTip } from '../git/repository.js';
import { ensureWorktree } from '../git/worktrees.js';
import type { PrepareInput, PrepareResult } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';
import type { Idea } from '../protocol/idea.js';
import type { LoadedRun } from '../runs/run-files.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { limitsOf } from './limits-of.js';
import { loadOne } from './load.js';
import { placeOf } from './plan-place.js';
import { assertRoom } from './room.js';
import { setUp } from './set-up.js';
import { inSectionOrThrow, wallOf } from './walls.js';
import { WorkError } from './work-error.js';

export async function prepareIdea(
  deps: WorkDeps,
  input: PrepareInput,
  { signal }: WorkContext,
): Promise<PrepareResult> {
  const [run, idea] = await loadOne(deps, input);
  return prepare(deps, run, idea, input, signal).catch(asWorkError);
}

async function prepare(
  deps: WorkDeps,
  run: LoadedRun,
  idea: Idea,
  input: PrepareInput,
  signal: AbortSignal,
): Promise<PrepareResult> {
  const { repo, target, config } = run.file;
  const worktreesRoot = config.worktrees.root ?? worktreesDir(deps.root, input.project);
  await assertRoom([worktreesRoot, repo, deps.root], config);
  const made = await ensureWorktree({
    repo,
    worktreesRoot,
    agentName: input.agentName,
    idea: input.idea,
    base: await targetTip(repo, target),
    keep: config.worktrees.keep,
    recycle: config.worktrees.recycle,
    ...(input.at === undefined ? {} : { at: input.at }),
  });
  const { path: worktree, branch } = made;
  let { base } = made;
  if (input.reopen?.kind === 'conflict') {
    await reopenForConflict({ worktree, idea: input.idea, onto: input.reopen.onto });
    base = input.reopen.onto;
  } else if (input.reopen?.kind === 'red') {
    await reopenForRed({ worktree, idea: input.idea, candidate: input.reopen.candidate });
    base = input.reopen.onto;
  }
  const logDir = join(ideaDir(deps.root, input.project, input.runId, input.idea), 'setup');
  const makeReady = (): Promise<void> => setUp(deps, run, { ...input, dir: worktree, logDir, signal });
  // In a worktree that has work in it, set-up runs what an agent may have written.
  if (made.origin === 'adopted') await inSectionOrThrow(await wallOf(deps, run), `set-up-${input.idea}`, makeReady);
  else await makeReady();
  const place = await placeOf(deps, { ...input, worktree, base, own: made.origin === 'adopted' }, idea);
  const lastSerial = await lastRun(ideaDir(deps.root, input.project, input.runId, input.idea));
  const limits = limitsOf(idea, run);
  return {
    worktree,
    branch,
    base,
    origin: made.origin,
    limits,
    ...planOf(idea),
    ...(place ? { place } : {}),
    ...(lastSerial > 0 ? { lastSerial } : {}),
  };
}

/** Number of the last agent run that left files here; 0 when none did. */
async function lastRun(dir: string): Promise<number> {
  const names = await readdir(dir).catch(() => []);
  return Math.max(0, ...names.filter((name) => /^\d+$/.test(name)).map(Number));
}

const MAX_PHASE_NAME = 80;

function planOf({ plan }: Idea): Pick<PrepareResult, 'plan'> {
  if (!plan) return {};
  const steps = plan.flatMap(({ steps }, phase) => steps.map(({ text: _, ...step }) => ({ ...step, phase })));
  return { plan: { phases: plan.map(({ name }) => name.slice(0, MAX_PHASE_NAME)), steps } };
}

/** What only a person can mend is not retried. */
export function asWorkError(error: unknown): never {
  if (error instanceof SetupError) throw new WorkError(error.message, FAILURE.setup);
  if (error instanceof RepositoryError) throw new WorkError(error.message, FAILURE.repository);
  throw error;
}
