/**
 * Takes over the remote's commits into the target, where the target has none of its own.
 * Invariant: the target only moves forward. A checkout with edits in changed paths stays as it is, as at a landing.
 */
import { isAncestor } from '../ancestry.js';
import { swapTarget } from '../landing/swap.js';
import { readTip } from '../refs.js';
import { listWorktrees } from '../worktrees/list.js';

export interface FollowInput {
  repo: string;
  /** Where git runs, on refs and objects only: the worktree of a landing, or the repository. */
  dir: string;
  target: string;
  /** The remote's commit. */
  tip: string;
  /** Of the remote, for the reflog: `origin/main`. */
  from: string;
  backlogPath?: string | undefined;
}

/**
 * The note for a checkout that stays behind; undefined also where nothing moved. Somebody else may move the target at
 * the same time, such as a look at another pull request: each lost race is a move of theirs, so this comes to an end.
 */
export async function followRemote(input: FollowInput): Promise<string | undefined> {
  const { repo, dir, target, tip } = input;
  for (;;) {
    const now = await readTip(repo, `refs/heads/${target}`);
    if (now === undefined || now === tip || !(await isAncestor(repo, now, tip))) return undefined;
    const swap = await swapTarget({
      ...{ dir, target, from: now, to: tip, claims: [], worktrees: await listWorktrees(repo) },
      mayLag: input.backlogPath,
      reason: `ralphctl: follow ${input.from}`,
    });
    if (swap.moved) return swap.note;
  }
}
