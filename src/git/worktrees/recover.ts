/**
 * Returns a worktree to its idea's branch after an agent left it elsewhere (other branch, detached HEAD, open rebase or
 * merge).
 * Invariant: the state is saved before anything moves. The branch moves only to commits that descend from the base.
 */

import { shellQuoted } from '../../protocol/shell-words.js';
import { hasCommit } from '../commit-id.js';
import { readMoves } from '../confinement/outside.js';
import { RepositoryError } from '../errors.js';
import { type Git, git } from '../runner.js';
import { keep, savePoint } from '../saves/saves.js';
import { readStatus, type Status } from '../status.js';
import { privateGitDir } from './list.js';
import { type OpenOperation, openOperation } from './operations.js';

export interface Recovery {
  /** The repairs, for the log; empty when none was needed. */
  repairs: string[];
  /** Save point taken before the repair. */
  saved?: string;
  /** The present status, when no repair was needed. */
  status?: Status;
}

/**
 * Checks out the idea's branch with the agent's commits on it. Throws {@link RepositoryError} when that is impossible.
 */
export async function recoverBranch(input: {
  worktree: string;
  idea: string;
  branch: string;
  base: string;
}): Promise<Recovery> {
  const { worktree, branch } = input;
  const gitDir = await privateGitDir(worktree);
  if (!gitDir)
    throw new RepositoryError(
      `The link of worktree ${worktree} to its repository is broken.`,
      `Fix it: git worktree repair ${shellQuoted(worktree)}`,
    );
  const [open, status] = await Promise.all([openOperation(gitDir), readStatus(worktree)]);
  if (!open && status.branch === branch && status.head) return { repairs: [], status };
  const repairs: string[] = [];
  const saved = await savePoint({ worktree, idea: input.idea, why: 'the agent had left its branch', status });
  const repo = git(worktree);
  if (open) repairs.push(await endOperation(repo, open, status));
  const now = open ? await readStatus(worktree) : status;
  if (now.branch !== branch) repairs.push(await moveBranch(repo, now, input));
  else if (!now.head) repairs.push(await bringBack(repo, gitDir, input));
  return { repairs, saved: saved || undefined };
}

async function endOperation(repo: Git, open: OpenOperation, status: Status): Promise<string> {
  if (open === 'bisect') {
    await repo.run(['bisect', 'reset']);
    return 'ended a bisect';
  }
  // With every conflict resolved the result is the agent's work: drops the operation and keeps the files.
  if (open !== 'rebase' && open !== 'am' && !status.tracked.some((entry) => entry.unmerged)) {
    await repo.run([open, '--quit']);
    return `closed a ${open} and kept its result`;
  }
  await repo.run([open, '--abort']);
  return `aborted a ${open}`;
}

/** The branch itself was deleted: a commit now would have no history. Files and index stay, as uncommitted work. */
async function bringBack(
  repo: Git,
  gitDir: string,
  { branch, base }: { branch: string; base: string },
): Promise<string> {
  const bring = ['update-ref', '--no-deref', '-m', 'ralphctl: bring the branch back', `refs/heads/${branch}`];
  const moves = await readMoves(gitDir, 'HEAD');
  const tips = moves.flatMap(({ from, to }) => [from, to]).filter((commit) => !/^0+$/.test(commit));
  for (const tip of new Set(tips.reverse())) {
    if (!(await hasCommit(repo.dir, tip)) || !(await contains(repo, base, tip))) continue;
    await repo.run([...bring, tip]);
    return `restored the deleted branch ${branch}`;
  }
  await repo.run([...bring, base]);
  return `restored ${branch} at its base, because its commits are lost`;
}

async function moveBranch(
  repo: Git,
  status: Status,
  input: { worktree: string; idea: string; branch: string; base: string },
): Promise<string> {
  const { branch, base, idea } = input;
  const where = status.branch ? `branch ${status.branch}` : 'a detached HEAD';
  const ours = await repo.result(['rev-parse', '--verify', '-q', `refs/heads/${branch}`], { ok: [0, 1], read: true });
  const old = ours.stdout.trim();
  // A person may have gone there, too.
  const refuse = (problem: string): RepositoryError =>
    new RepositoryError(
      `The worktree ${input.worktree} of ${idea} is not on ${branch} but on ${where}, ${problem}.`,
      old
        ? `Look at it there, then: git -C ${shellQuoted(input.worktree)} switch ${branch}. Then: ralphctl retry ${idea}`
        : `${branch} does not exist any more. Look at the worktree, then have the branch made again: ralphctl retry ${idea}`,
    );
  const tip = status.head;
  if (!tip) throw refuse('which has no commit');
  if (!(await contains(repo, base, tip))) throw refuse(`which does not descend from the base ${base.slice(0, 10)}`);
  if (old && old !== tip && !(await contains(repo, old, tip))) {
    await keep(repo.dir, idea, old, 'the agent had left its branch');
    if (await contains(repo, tip, old)) {
      const back = await repo.result(['checkout', '-q', branch], { ok: [0, 1] });
      if (back.code !== 0) throw refuse('with edits that block the switch to the branch');
      return `went back from ${where} to ${branch}`;
    }
  }
  const moved = await repo.result(['checkout', '-q', '-B', branch], { ok: [0, 1, 128] });
  if (moved.code !== 0) throw refuse(`and ${branch} cannot be checked out: ${moved.stderr.trim().slice(-200)}`);
  return `moved ${branch} to the tip of ${where}`;
}

async function contains(repo: Git, ancestor: string, tip: string): Promise<boolean> {
  const got = await repo.result(['merge-base', '--is-ancestor', ancestor, tip], { ok: [0, 1], read: true });
  return got.code === 0;
}
