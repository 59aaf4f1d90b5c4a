/**
 * The place an agent works in: its worktree, and the idea's right to it.
 * Invariant: before an agent starts, nothing of an earlier attempt is left; what is not a worktree of this project is
 * never worked in.
 */
import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { worktreesDir } from '../config/paths.js';
import { removeStaleLocks } from '../git/locks.js';
import { privateGitDir } from '../git/worktree-list.js';
import { findByToken, killByToken } from '../process/tokens.js';
import type { RunAgentInput } from '../protocol/activities.js';
import { FAILURE } from '../protocol/failures.js';
import type { LoadedRun } from '../runs/run-files.js';
import type { WorkDeps } from './deps.js';
import { WorkError } from './work-error.js';

/** The worktree must be one of this project's: workflow input could name any folder. */
export async function assertOurs(deps: WorkDeps, run: LoadedRun, input: RunAgentInput): Promise<void> {
  const root = run.file.config.worktrees.root ?? worktreesDir(deps.root, input.project);
  const [real, realRoot] = await Promise.all([
    realpath(input.worktree).catch(() => ''),
    realpath(root).catch(() => ''),
  ]);
  if (real && realRoot && real.startsWith(realRoot + sep)) return;
  throw new WorkError(`${input.worktree} is not a worktree of this project (they are in ${root})`, FAILURE.repository);
}

/** Ends what an earlier attempt left. */
export async function endEarlier(owner: string, idea: string): Promise<void> {
  await killByToken(owner);
  const [left] = await findByToken(owner);
  if (!left) return;
  const message = `process ${left.pid} of an earlier run of ${idea} cannot be ended, and no second agent starts beside it; see: ps -fp ${left.pid}`;
  throw new WorkError(message, FAILURE.workerLost, true);
}

/** A killed git leaves its locks behind. Called when nothing works in the worktree, so that any lock is such a one. */
export async function unlock(worktree: string, branch: string): Promise<void> {
  const gitDir = await privateGitDir(worktree);
  if (gitDir) await removeStaleLocks(gitDir, { now: Number.POSITIVE_INFINITY, branch });
}
