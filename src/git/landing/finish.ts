/**
 * Cleanup after a landing: the idea's worktree becomes reusable, and its branch is deleted.
 * Invariant: the branch is deleted only at the landed tip. A worktree with uncommitted work is saved and left
 * unchanged. The work is on the target already, so nothing that git refuses here makes the landing fail.
 */

import { branchRef, candidateRef } from '../refs.js';
import { GitError, git } from '../runner.js';
import { savePoint } from '../saves/saves.js';
import { holdsNoWork, readStatus } from '../status.js';
import { exists, headBranch, privateGitDir, type WorktreeEntry } from '../worktrees/list.js';
import { openOperationIn } from '../worktrees/operations.js';
import { markRecyclable } from '../worktrees/recycle.js';

interface Landed {
  dir: string;
  branch: string;
  idea: string;
  /** The landed tip. */
  head: string;
  worktrees: readonly WorktreeEntry[];
}

/** Idempotent. Returns the reasons for anything kept. */
export async function finishLanding(input: Landed): Promise<string | undefined> {
  try {
    return await tidy(input);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `The branch ${input.branch} was kept, as git could not tidy up: ${error.message.replace(/, then retry\.$/, '.')}`;
  }
}

async function tidy(input: Landed): Promise<string | undefined> {
  const ref = `refs/heads/${input.branch}`;
  const entry = input.worktrees.find((one) => one.branch === input.branch);
  const there = entry && (await exists(entry.path)) ? entry : undefined;
  const names = [ref, candidateRef(input.idea), branchRef(input.idea)];
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', ...names];
  const [tips, status] = await Promise.all([
    git(input.dir).run(args, { read: true }),
    there ? readStatus(there.path) : undefined,
  ]);
  const lines = tips.split('\n').filter(Boolean);
  const tip = lines.find((line) => line.startsWith(`${ref} `))?.split(' ')[1];
  if (tip && tip !== input.head) return `The branch ${input.branch} has newer commits and was kept.`;
  if (there && !(status && holdsNoWork(status) && (await release(there.path, input)))) {
    await savePoint({ worktree: there.path, idea: input.idea, why: 'before landing', status });
    return `The worktree ${there.path} has uncommitted files; it and the branch ${input.branch} were kept.`;
  }
  const commands = lines.map((line) => `delete ${line}`);
  if (commands.length > 0) await git(input.dir).run(['update-ref', '--stdin'], { input: `${commands.join('\n')}\n` });
  return undefined;
}

/**
 * Detaches a clean worktree at its commit, which changes no file; false when git refuses or an operation is open there.
 */
async function release(path: string, { branch, head }: { branch: string; head: string }): Promise<boolean> {
  if (await openOperationIn(path)) return false;
  const gitDir = await privateGitDir(path);
  // Another attempt released it meanwhile: it may already belong to another idea.
  if (!gitDir || (await headBranch(gitDir)) !== branch) return true;
  const args = ['update-ref', '--no-deref', '-m', 'ralphctl: landed', 'HEAD', head];
  const left = await git(path).result(args, { ok: [0, 1, 128] });
  if (left.code !== 0) return false;
  await markRecyclable(path);
  return true;
}
