/** What a person may ask to be done with the worktree and the branch of an idea that has not landed. All idempotent. */
import { worktreesDir } from '../config/paths.js';
import { cleanupIdea as cleanUp } from '../git/cleanup.js';
import { type IdeaPlace, rollbackIdea as rollBack, stashIdea as stash } from '../git/rollback.js';
import type {
  CleanupInput,
  CleanupResult,
  IdeaGitInput,
  RollbackInput,
  RollbackResult,
  StashResult,
} from '../protocol/git-work.js';
import { alone } from './alone.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { loadOne } from './load.js';
import { dropPlace } from './plan-place.js';

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
  return alone(deps, input, context, async () => {
    const done = await rollBack(at);
    await dropPlace(deps, input);
    return done;
  });
}

export async function stashIdea(deps: WorkDeps, input: IdeaGitInput, context: WorkContext): Promise<StashResult> {
  const at = await place(deps, input);
  return alone(deps, input, context, () => stash(at));
}

export async function cleanupIdea(deps: WorkDeps, input: CleanupInput, context: WorkContext): Promise<CleanupResult> {
  const at = await place(deps, input);
  return alone(deps, input, context, () => cleanUp({ ...at, force: input.force ?? false }));
}
