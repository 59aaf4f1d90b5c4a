/** Git tasks that a person requests on the worktree and branch of an idea that has not landed. All are idempotent. */

import { randomUUID } from 'node:crypto';
import { worktreesDir } from '../config/paths.js';
import { cleanupIdea as cleanUp } from '../git/worktrees/remove.js';
import { type IdeaPlace, rollbackIdea as rollBack, stashIdea as stash } from '../git/worktrees/rollback.js';
import { killByToken } from '../process/tokens.js';
import type {
  CleanupInput,
  CleanupResult,
  IdeaGitInput,
  RollbackInput,
  RollbackResult,
  StashResult,
} from '../protocol/git-work.js';
import { type AttemptMark, hasMark, markAttempt, unmarkAttempt } from '../run-files/attempts.js';
import type { WorkContext, WorkDeps } from './job.js';
import { loadOne } from './load.js';
import { dropPlace } from './plan-place.js';
import { asWorkError } from './prepare.js';

async function place(deps: WorkDeps, input: IdeaGitInput): Promise<IdeaPlace> {
  const [{ file }] = await loadOne(deps, input);
  const worktreesRoot = file.config.worktrees.root ?? worktreesDir(deps.root, input.project);
  return { repo: file.repo, worktreesRoot, target: file.target, idea: input.idea };
}

export async function rollbackIdea(
  deps: WorkDeps,
  input: RollbackInput,
  context: WorkContext,
): Promise<RollbackResult> {
  const at = await place(deps, input);
  return withWorktreeLock(deps, input, context, async () => {
    const done = await rollBack({ ...at, fresh: input.fresh });
    await dropPlace(deps, input);
    return done;
  });
}

export async function stashIdea(deps: WorkDeps, input: IdeaGitInput, context: WorkContext): Promise<StashResult> {
  const at = await place(deps, input);
  return withWorktreeLock(deps, input, context, () => stash(at));
}

export async function cleanupIdea(deps: WorkDeps, input: CleanupInput, context: WorkContext): Promise<CleanupResult> {
  const at = await place(deps, input);
  return withWorktreeLock(deps, input, context, () => cleanUp({ ...at, force: input.force ?? false }));
}

/*
 * Works on an idea's worktree outside an agent run. Ends every process of the idea first.
 * Invariant: an earlier attempt that still runs no longer finds its own mark, so it writes nothing.
 */

export async function withWorktreeLock<R>(
  deps: WorkDeps,
  input: IdeaGitInput,
  { taskToken, abandoned }: WorkContext,
  work: () => Promise<R>,
): Promise<R> {
  const { project, idea, runId } = input;
  const token = `${project}/${idea}/${runId}/git/${randomUUID()}`;
  const mark: AttemptMark = { token, taskToken, idea, serial: 0, startedAt: new Date().toISOString() };
  const left = await hasMark(deps.root, project, idea);
  await markAttempt(deps.root, project, mark);
  try {
    if (left) await killByToken(`${project}/${idea}`);
    return await work().catch(asWorkError);
  } finally {
    if (!abandoned()) await unmarkAttempt(deps.root, project, mark);
  }
}
