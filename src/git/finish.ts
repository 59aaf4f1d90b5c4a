/**
 * What follows a landing: the idea's worktree becomes recyclable, its branch goes, and its worktree is let go.
 * Invariant: the branch is deleted only at the tip that landed; a worktree with anything in it is left as it is.
 */
import { git } from './git.js';
import { markRecyclable } from './marks.js';
import { branchRef, candidateRef } from './names.js';
import { isClean, readStatus } from './status.js';
import { exists, type WorktreeEntry } from './worktree-list.js';

/** Idempotent. Returns what was kept and why, if anything was. `landed` is on the target, `head` is the tip it stands for. */
export async function finishLanding(input: {
  dir: string;
  branch: string;
  idea: string;
  head: string;
  landed: string;
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
  if (there && !(status && isClean(status) && (await letGo(there.path, input.landed))))
    return `The worktree ${there.path} has uncommitted files; it and the branch ${input.branch} were kept.`;
  const commands = lines.map((line) => `delete ${line}`);
  if (commands.length > 0) await git(input.dir).run(['update-ref', '--stdin'], { input: `${commands.join('\n')}\n` });
  return undefined;
}

/** Detaches a clean worktree at the landed commit; false when git refuses. */
async function letGo(path: string, landed: string): Promise<boolean> {
  const left = await git(path).result(['checkout', '-q', '--detach', landed], { ok: [0, 1, 128] });
  if (left.code !== 0) return false;
  await markRecyclable(path);
  return true;
}
