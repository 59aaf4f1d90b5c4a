/**
 * What follows a landing: the idea's worktree becomes recyclable, its branch goes, and its worktree is let go.
 * Invariant: the branch is deleted only at the tip that landed; a worktree with anything in it is saved and left as it is.
 */

import { branchRef, candidateRef } from '../refs.js';
import { git } from '../runner.js';
import { savePoint } from '../saves/saves.js';
import { holdsNoWork, readStatus } from '../status.js';
import { exists, headBranch, privateGitDir, type WorktreeEntry } from '../worktrees/list.js';
import { openOperationIn } from '../worktrees/recover.js';
import { markRecyclable } from '../worktrees/recycle.js';

/** Idempotent. Returns what was kept and why, if anything was. `head` is the tip that landed. */
export async function finishLanding(input: {
  dir: string;
  branch: string;
  idea: string;
  head: string;
  worktrees: readonly WorktreeEntry[];
}): Promise<string | undefined> {
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
  if (there && !(status && holdsNoWork(status) && (await letGo(there.path, input)))) {
    await savePoint({ worktree: there.path, idea: input.idea, why: 'before landing', ...(status ? { status } : {}) });
    return `The worktree ${there.path} has uncommitted files; it and the branch ${input.branch} were kept.`;
  }
  const commands = lines.map((line) => `delete ${line}`);
  if (commands.length > 0) await git(input.dir).run(['update-ref', '--stdin'], { input: `${commands.join('\n')}\n` });
  return undefined;
}

/** Detaches a clean worktree where it is, which changes no file of it; false when git refuses or has something open there. */
async function letGo(path: string, { branch, head }: { branch: string; head: string }): Promise<boolean> {
  if (await openOperationIn(path)) return false;
  const gitDir = await privateGitDir(path);
  // Let go by another attempt meanwhile: it may be the worktree of another idea by now.
  if (!gitDir || (await headBranch(gitDir)) !== branch) return true;
  const args = ['update-ref', '--no-deref', '-m', 'ralphctl: landed', 'HEAD', head];
  const left = await git(path).result(args, { ok: [0, 1, 128] });
  if (left.code !== 0) return false;
  await markRecyclable(path);
  return true;
}
