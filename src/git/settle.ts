/**
 * What follows every agent run: back on the idea's branch, leftovers committed, the branch's progress read.
 * Counts its processes, as every iteration pays for them: one status, add and commit where needed, three reads at once.
 */
import { branchProgress, type CommitInput, type CommitResult, commitLeftovers, type Progress } from './commit.js';
import { recoverBranch } from './recover.js';

export interface SettleInput {
  worktree: string;
  idea: string;
  branch: string;
  base: string;
  /** The tip before the run. */
  since: string;
  /** Absent: leftovers stay uncommitted. */
  commit?: Pick<CommitInput, 'message' | 'hooks' | 'sign'>;
}

export interface Settled extends Progress, Partial<CommitResult> {
  /** What had to be mended, in words. */
  repairs: string[];
}

/** Throws {@link RepositoryError} when the branch cannot be recovered without losing work. */
export async function settleIteration(input: SettleInput): Promise<Settled> {
  const { worktree, base, since, commit } = input;
  const { repairs, status } = await recoverBranch(input);
  const made = commit && (await commitLeftovers({ worktree, ...commit, ...(status ? { status } : {}) }));
  return { ...(await branchProgress({ worktree, base, since })), ...made, repairs };
}
