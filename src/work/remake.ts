/**
 * A worktree that is gone or broken, made again from its branch: agents delete their own folder now and then.
 * Invariant: only at the place where the idea's worktree belongs; what the branch holds is kept.
 */
import { privateGitDir } from '../git/worktree-list.js';
import type { RunAgentInput } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { prepareIdea } from './prepare-idea.js';
import { WorkError } from './work-error.js';

/** True when it had to be. */
export async function remakeIfGone(deps: WorkDeps, input: RunAgentInput, context: WorkContext): Promise<boolean> {
  if (await privateGitDir(input.worktree)) return false;
  const { project, runId, idea, agentName } = input;
  const { worktree } = await prepareIdea(deps, { project, runId, idea, agentName, at: input.worktree }, context);
  if (worktree === input.worktree) return true;
  const message = `the worktree of ${idea} was gone and is now ${worktree}, not ${input.worktree}; start it again with: ralphctl retry ${idea}`;
  throw new WorkError(message, FAILURE.repository);
}
