/**
 * An idea whose branch and worktree somebody deleted by hand. It goes on from its newest save: only `retry --fresh`,
 * `rollback` and `reset` begin anew.
 * Invariant: what ralphctl itself took away is not brought back. It removes its mark of a branch with the branch, and
 * when it rolls the idea back.
 */
import { isAncestor } from '../ancestry.js';
import { branchRef, ideaBranch, readTips } from '../refs.js';
import { git } from '../runner.js';
import { exists, listWorktrees, privateGitDir } from '../worktrees/list.js';
import { readMark } from '../worktrees/recycle.js';
import { restoreSave } from './restore.js';
import { listSaves, type SavePoint } from './saves.js';

export interface GoneBranch {
  branch: string;
  /** Its newest save that has work from since the branch was made. */
  save?: Pick<SavePoint, 'n' | 'ref'>;
}

/** Undefined: the idea has its branch, or none that somebody deleted. `onto`: where it lands. Reads only. */
async function goneBranch(repo: string, idea: string, onto: string): Promise<GoneBranch | undefined> {
  const branch = ideaBranch(idea);
  const [ref, mark] = [`refs/heads/${branch}`, branchRef(idea)];
  const tips = await readTips(repo, [ref, mark]);
  const began = tips.get(mark);
  if (tips.has(ref) || began === undefined) return undefined;
  // An agent may have had repositories of its own, which have saves, too.
  for (const { n, ref: saved, commit, head } of (await listSaves(repo, idea)).reverse())
    if (commit !== began && (await goesOn(repo, head, { began, onto }))) return { branch, save: { n, ref: saved } };
  return { branch };
}

async function goesOn(repo: string, head: string, { began, onto }: { began: string; onto: string }): Promise<boolean> {
  if (!(await isAncestor(repo, began, head))) return false;
  // No idea can start on a branch without it; whoever deletes such a one has done what its error advises.
  return (await git(repo).result(['merge-base', onto, head], { ok: [0, 1], read: true })).code === 0;
}

/** The same, for who does not know whether the worktree is there: one brings its branch back by itself. */
export async function goneWork(repo: string, target: string, idea: string): Promise<GoneBranch | undefined> {
  const gone = await goneBranch(repo, idea, `refs/heads/${target}`);
  if (!gone) return undefined;
  for (const { path, branch } of await listWorktrees(repo)) {
    if (!(await exists(path))) continue;
    const gitDir = await privateGitDir(path);
    if (branch === gone.branch || (gitDir && (await readMark(gitDir, 'idea')) === idea)) return undefined;
  }
  return gone;
}

/** Brings the branch back from the save, once the worktree is known to be gone. `tip`: '' without a save. */
export async function bringBack(
  repo: string,
  idea: string,
  onto: string,
): Promise<(GoneBranch & { tip: string }) | undefined> {
  const gone = await goneBranch(repo, idea, onto);
  if (!gone?.save) return gone && { ...gone, tip: '' };
  const { commit } = await restoreSave({ repo, idea, n: gone.save.n, to: gone.branch });
  return { ...gone, tip: commit };
}

/** The next start begins on the target, whatever was deleted. */
export async function forgetBranch(repo: string, idea: string): Promise<void> {
  await git(repo).run(['update-ref', '-d', branchRef(idea)]);
}

/** A sentence without its end. */
export const goneBranchText = (idea: string, { branch, save }: GoneBranch, target: string): string =>
  `its branch ${branch} and its worktree are gone; ${
    save
      ? `it goes on from its save ${save.n} (ralphctl saves ${idea})`
      : `no save has work of it, so it begins anew on ${target}`
  }`;
