/**
 * What follows every agent run: back on the idea's branch, leftovers committed, the branch's progress read.
 * Counts its processes, as every iteration pays for them: one status, add and commit where needed, three reads at once.
 */

import { git } from '../runner.js';
import { keep, treeOfFiles } from '../saves/saves.js';
import { branchProgress, type CommitInput, type CommitResult, commitLeftovers, type Progress } from './commit.js';
import { type LinkTrouble, linkTrouble } from './gitlinks.js';
import { restoreProtected } from './protect.js';
import { recoverBranch } from './recover.js';

export interface SettleInput {
  worktree: string;
  idea: string;
  branch: string;
  base: string;
  /** The tip before the run. */
  since: string;
  /** Paths that are put back to what they are in `base`: the agent's changes to them do not count. */
  restore: readonly string[];
  /** Git globs of paths that no agent may change. */
  protect?: readonly string[];
  /** Absent: leftovers stay uncommitted. */
  commit?: Pick<CommitInput, 'message' | 'hooks' | 'sign'>;
  /** Each commit lands as it is, not only the tip. */
  history?: boolean;
}

export interface Settled extends Progress, Partial<CommitResult> {
  /** What had to be mended, in words. */
  repairs: string[];
  /** Protected paths that were put back. */
  restored: string[];
  links: LinkTrouble;
  /** Submodules with edits in them that no commit has. */
  edited: string[];
}

/** Throws {@link RepositoryError} when the branch cannot be recovered without losing work. */
export async function settleIteration(input: SettleInput): Promise<Settled> {
  const { worktree, base, since, commit } = input;
  // Read beside the status; after a repair it must be read again.
  const early = touchedPaths(input);
  early.catch(() => undefined);
  const { repairs, status: seen } = await recoverBranch(input);
  const backlog = await restorePaths(input, await (repairs.length > 0 ? touchedPaths(input) : early));
  const restored = await restoreProtected({ worktree, idea: input.idea, base, globs: input.protect ?? [] });
  const status = backlog || restored.length > 0 ? undefined : seen;
  const edited = (seen?.tracked ?? []).filter(({ inside }) => inside === 'edits').map(({ path }) => path);
  const made = commit && (await commitLeftovers({ worktree, ...commit, ...(status ? { status } : {}) }));
  const [progress, links] = await Promise.all([
    branchProgress({ worktree, base, since }),
    linkTrouble({ worktree, base, history: input.history ?? false }),
  ]);
  // Amended or reset away: without a ref the earlier commits would live on in the reflog only.
  if (progress.lost > 0) await keep(worktree, input.idea, since, 'the agent had rewritten its branch');
  // What stays uncommitted is part of what the run left.
  const tree = commit ? progress.tree : await treeOfFiles(worktree);
  return { ...progress, tree, ...made, repairs, restored, links, edited };
}

const literal = (paths: readonly string[]): string[] => paths.map((path) => `:(top,literal)${path}`);

/** Does any of the paths to restore differ from the base? */
async function touchedPaths({ worktree, base, restore }: SettleInput): Promise<boolean> {
  if (restore.length === 0) return false;
  const args = ['diff', '--name-only', '--no-ext-diff', base, '--', ...literal(restore)];
  return (await git(worktree).run(args, { read: true })) !== '';
}

/** True when something was put back; the change is staged. A path that the base does not have is left alone. */
async function restorePaths({ worktree, base, restore }: SettleInput, touched: boolean): Promise<boolean> {
  if (!touched) return false;
  const args = ['checkout', '-q', base, '--', ...literal(restore)];
  return (await git(worktree).result(args, { ok: [0, 1, 128] })).code === 0;
}
