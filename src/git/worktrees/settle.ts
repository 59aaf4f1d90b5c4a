/**
 * Runs after every agent run: returns to the idea's branch, commits leftovers, reads the branch's state. Every
 * iteration pays for its processes: one status, add and commit where needed, three reads in parallel.
 */

import { lstat, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { git } from '../runner.js';
import { keep, savePoint, treeOfFiles } from '../saves/saves.js';
import { agentsWorkIn, takeRemovedPipes } from '../worktree-pipes.js';
import { type BranchState, branchState, type CommitInput, type CommitResult, commitLeftovers } from './commit.js';
import { forgetFlags } from './flags.js';
import { type LinkTrouble, linkTrouble } from './gitlinks.js';
import { freeName } from './leftovers.js';
import { recoverBranch } from './recover.js';

export interface SettleInput {
  worktree: string;
  idea: string;
  branch: string;
  base: string;
  /** The tip before the run. */
  since: string;
  /** Paths that are reset to `base`: the agent's changes to them do not count. */
  restore: readonly string[];
  /** Git globs of paths that no agent may change. */
  protect?: readonly string[];
  /** Absent: leftovers stay uncommitted. */
  commit?: Pick<CommitInput, 'message' | 'hooks' | 'sign'>;
  /** Each commit lands as it is, not only the tip. */
  history?: boolean;
}

export interface Settled extends BranchState, Partial<CommitResult> {
  /** How the worktree came back to the branch that the agent had left. */
  repairs: string[];
  /** Restored protected paths. */
  restored: string[];
  links: LinkTrouble;
  /** Submodules with uncommitted edits. */
  edited: string[];
  /** Paths where git would have waited for ever at a named pipe, or failed. They are gone. */
  pipes: string[];
}

/** Throws {@link RepositoryError} when the branch cannot be recovered without losing work. */
export async function settleIteration(input: SettleInput): Promise<Settled> {
  const { worktree, base, since, commit } = input;
  agentsWorkIn([worktree]);
  await forgetFlags(worktree);
  // Read in parallel with the status; after a repair it must be read again.
  const early = touchedPaths(input);
  early.catch(() => undefined);
  const { repairs, status: seen } = await recoverBranch(input);
  const backlog = await restorePaths(input, await (repairs.length > 0 ? touchedPaths(input) : early));
  const restored = await restoreProtected({ worktree, idea: input.idea, base, globs: input.protect ?? [] });
  const status = backlog || restored.length > 0 ? undefined : seen;
  const edited = (seen?.tracked ?? []).filter(({ inside }) => inside === 'edits').map(({ path }) => path);
  const made = commit && (await commitLeftovers({ worktree, ...commit, status }));
  const [state, links] = await Promise.all([
    branchState({ worktree, base, since }),
    linkTrouble({ worktree, base, history: input.history ?? false }),
  ]);
  // Amended or reset away: without a ref, only the reflog would keep the earlier commits.
  if (state.lost > 0) await keep(worktree, input.idea, since, 'the agent had rewritten its branch');
  // Uncommitted files are part of the run's result.
  const tree = commit ? state.tree : await treeOfFiles(worktree);
  return { ...state, tree, ...made, repairs, restored, links, edited, pipes: takeRemovedPipes(worktree) };
}

const literal = (paths: readonly string[]): string[] => paths.map((path) => `:(top,literal)${path}`);

/** Whether one of the paths to restore differs from the base. */
async function touchedPaths({ worktree, base, restore }: SettleInput): Promise<boolean> {
  if (restore.length === 0) return false;
  const args = ['diff', '--name-only', '--no-ext-diff', base, '--', ...literal(restore)];
  return (await git(worktree).run(args, { read: true })) !== '';
}

/** True when something was restored; the change is staged. A path outside the base stays. */
async function restorePaths({ worktree, base, restore }: SettleInput, touched: boolean): Promise<boolean> {
  if (!touched) return false;
  const args = ['checkout', '-q', base, '--', ...literal(restore)];
  return (await git(worktree).result(args, { ok: [0, 1, 128] })).code === 0;
}

/*
 * Protected paths: restored before the checks of an agent's work.
 * Invariant: the agent's version stays in a save point. A nested repository, which no save point can hold, is moved out
 * of the worktree.
 */

/**
 * Restores the matches of `globs` (git globs, relative to the top). Returns the sorted paths, each with its copy if it
 * is not in the save point. Changes are staged.
 */
export async function restoreProtected(input: {
  worktree: string;
  idea: string;
  base: string;
  globs: readonly string[];
}): Promise<string[]> {
  const { worktree, idea, base, globs } = input;
  if (globs.length === 0) return [];
  const { run } = git(worktree);
  const specs = globs.map((glob) => `:(top,glob)${glob}`);
  const [changed, fresh] = await Promise.all([
    run(['diff', '-z', '--name-status', '--no-renames', '--no-ext-diff', base, '--', ...specs], { read: true }),
    run(['ls-files', '-z', '--others', '--exclude-standard', '--', ...specs], { read: true }),
  ]);
  const fields = changed.split('\0');
  const old: string[] = [];
  const added = fresh.split('\0').filter(Boolean);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1];
    if (path) (fields[at] === 'A' ? added : old).push(path);
  }
  if (old.length + added.length === 0) return [];
  await savePoint({ worktree, idea, why: 'protected paths were put back' });
  const literal = (paths: readonly string[]): string => paths.map((path) => `:(top,literal)${path}\0`).join('');
  const fromStdin = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  if (old.length > 0) await run(['checkout', '-q', base, ...fromStdin], { input: literal(old) });
  if (added.length > 0) {
    await run(['rm', '-q', '-f', '--cached', '--ignore-unmatch', ...fromStdin], { input: literal(added) });
    const gone: string[] = [];
    // One after another: two folders of one name must not get the same place.
    for (const path of added) gone.push(await takeAway(worktree, path));
    return [...old, ...gone].sort();
  }
  return old.sort();
}

/** A file is deleted, because the save point has it. A folder is a nested repository. */
async function takeAway(worktree: string, path: string): Promise<string> {
  const full = join(worktree, path);
  if (!(await lstat(full).catch(() => undefined))?.isDirectory()) {
    await rm(full, { force: true });
    return path;
  }
  const aside = await freeName(`${worktree}.${basename(path)}`);
  await rename(full.replace(/\/$/, ''), aside);
  return `${path} (a repository of its own, kept in ${aside})`;
}
