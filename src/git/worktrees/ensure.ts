/**
 * One worktree per idea, on the branch `ralph/<idea>`, with the link `<root>/<agent>-<idea>` to it (see places.ts).
 * Invariant: idempotent from any leftover state. An idea's worktree keeps its path in any slot. No work is lost (see
 * adopt.ts, recycle.ts, leftovers.ts). Registration happens under the repository mutex, filling the folder outside of
 * it.
 */

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { isAncestor } from '../ancestry.js';
import { refuseBlockedNames, refuseForeign } from '../branch-names.js';
import { RepositoryError } from '../errors.js';
import { exclusive } from '../locks.js';
import { branchRef, ideaBranch, readTip, worktreeName } from '../refs.js';
import { GitError, git } from '../runner.js';
import { bringBack, type GoneBranch } from '../saves/gone-branch.js';
import { holdsNoWork, readStatus } from '../status.js';
import { adopt } from './adopt.js';
import { type BranchBack, bringBranchBack } from './branch-back.js';
import { moveFolderAside } from './leftovers.js';
import { canonical, exists, headBranch, isUnder, privateGitDir, type WorktreeEntry } from './list.js';
import { mendedWorktrees } from './mend.js';
import { openOperation } from './operations.js';
import { freePlace, linkPlace } from './places.js';
import { bringBackPutAway, type PutAway } from './put-away.js';
import { recoverBranch } from './recover.js';
import { clearMark, type Recycled, readMark, resetOnto, takeRecyclable, writeMark } from './recycle.js';
import { refill, wantWholeTree } from './whole-tree.js';

export interface EnsureInput {
  repo: string;
  worktreesRoot: string;
  agentName: string;
  idea: string;
  /** Base commit, where the idea has no branch yet. */
  base: string;
  /** Ignored folders that survive recycling, as gitignore patterns: `node_modules`, `.venv`. */
  keep: readonly string[];
  recycle: boolean;
  /** Its path when it must be recreated: the path before its folder was lost. */
  at?: string;
}

export interface EnsuredWorktree {
  path: string;
  branch: string;
  /** The start of the idea's diff: what its branch and `base` have in common, or where the branch was made. */
  base: string;
  origin: 'created' | 'recycled' | 'adopted';
  /** What was in its place instead of it is here now. */
  aside?: string | undefined;
  /** It was rolled back, and begins on `base` now. */
  anew?: true;
  /** Somebody had deleted its branch and its worktree: it goes on from this save, or anew. */
  gone?: GoneBranch;
  /** Somebody had deleted or renamed its branch, while its worktree stayed. */
  back?: BranchBack;
  /** An abort had taken uncommitted work out of it. */
  putAway?: PutAway;
}

type Placed = Recycled & Pick<EnsuredWorktree, 'origin' | 'aside' | 'gone' | 'back'>;

/** The idea's worktree, ready for work. Throws {@link RepositoryError} when a person must decide. */
export async function ensureWorktree(input: EnsureInput): Promise<EnsuredWorktree> {
  const branch = ideaBranch(input.idea);
  await mkdir(input.worktreesRoot, { recursive: true });
  const root = await canonical(input.worktreesRoot);
  const name = worktreeName(input.agentName, input.idea);
  const key = `meta:${await canonical(input.repo)}`;
  const { placed, tip } = await exclusive(key, async () => {
    const got = await place(input, root, branch);
    // Other state folders must know it from now on: filling a big one takes minutes.
    await writeMark(got.placed.gitDir, 'filling', input.idea);
    await linkPlace(got.placed.path, name);
    return got;
  });
  const wasSparse = await wantWholeTree(placed.gitDir);
  await fill(placed, branch, tip, input);
  if (wasSparse && placed.origin !== 'created') await refill(placed.path);
  const anew = placed.origin === 'adopted' && (await beginAnew(placed, { branch, tip, base: input.base }));
  await Promise.all([
    // A rollback removes the mark.
    ...(tip && !anew ? [] : [markOurs(input.repo, input.idea, input.base)]),
    writeMark(placed.gitDir, 'idea', input.idea),
    writeMark(placed.gitDir, 'place', placed.path),
    clearMark(placed.gitDir, 'recyclable'),
    clearMark(placed.gitDir, 'recycling'),
    clearMark(placed.gitDir, 'rolled-back'),
  ]);
  await clearMark(placed.gitDir, 'filling');
  const base = tip && !anew ? await startOfWork(input, tip) : input.base;
  const elsewhere = placed.origin === 'adopted' && (await headBranch(placed.gitDir)) !== branch;
  if (elsewhere) await recoverBranch({ worktree: placed.path, idea: input.idea, branch, base });
  await assertPlace(placed.path, branch);
  const putAway = anew ? undefined : await bringBackPutAway({ ...placed, idea: input.idea, branch });
  const { path, origin, aside, gone, back } = placed;
  const known = { ...(anew ? { anew } : {}), ...(putAway ? { putAway } : {}) };
  return { path, branch, base, origin, aside, ...known, ...(gone ? { gone } : {}), ...(back ? { back } : {}) };
}

async function place(input: EnsureInput, root: string, branch: string): Promise<{ placed: Placed; tip: string }> {
  const { repo, idea } = input;
  const [entries, found = ''] = await Promise.all([
    mendedWorktrees({ repo, root, idea }),
    readTip(repo, `refs/heads/${branch}`),
  ]);
  const own = await adopt({ repo, root, branch, idea }, entries);
  if (own && 'gitDir' in own) {
    const here = found ? undefined : await bringBranchBack({ repo, idea, ...own, onto: input.base });
    return { placed: { ...own, origin: 'adopted', ...(here ? { back: here } : {}) }, tip: here?.commit ?? found };
  }
  const back = found ? undefined : await bringBack(repo, idea, input.base);
  const gone = back && { gone: { branch: back.branch, ...(back.save ? { save: back.save } : {}) } };
  const tip = found || (back?.tip ?? '');
  if (tip) await refuseForeign(repo, idea, tip, input.base);
  const lost = own?.path ?? unregistered(input.at, root, entries);
  const ours = entries.filter((entry) => isUnder(entry.path, root));
  // A lost folder holds the idea's own history: it is recreated in place, and no other worktree replaces it.
  const recycled = input.recycle && lost === undefined ? await takeRecyclable(ours, input.agentName, idea) : undefined;
  if (recycled) return { placed: { ...recycled, origin: 'recycled', ...gone }, tip };
  const path = lost ?? (await freePlace(root, entries));
  const aside = (lost === undefined ? undefined : await moveFolderAside(path)) ?? own?.aside;
  await add(repo, path, branch, tip ? undefined : input.base);
  const gitDir = await privateGitDir(path);
  if (!gitDir)
    throw new RepositoryError(`git made no valid worktree at ${path}.`, 'Check that the disk is not full, then retry.');
  await writeMark(gitDir, 'unproven', '');
  return { placed: { path, gitDir, origin: 'created', aside, ...gone }, tip };
}

/** A place that git knows already has an owner. */
const unregistered = (at: string | undefined, root: string, entries: readonly WorktreeEntry[]): string | undefined =>
  at !== undefined && dirname(at) === root && !entries.some((entry) => entry.path === at) ? at : undefined;

async function add(repo: string, path: string, branch: string, base: string | undefined): Promise<void> {
  const what = base === undefined ? [path, branch] : ['--no-track', '-b', branch, path, base];
  try {
    // Registered first and filled later, so that big checkouts run in parallel.
    await git(repo).run(['worktree', 'add', '--no-checkout', '-q', ...what]);
  } catch (error) {
    return orBlocked(repo, branch, error);
  }
}

async function markOurs(repo: string, idea: string, base: string): Promise<void> {
  try {
    await git(repo).run(['update-ref', branchRef(idea), base]);
  } catch (error) {
    await orBlocked(repo, ideaBranch(idea), error);
  }
}

async function orBlocked(repo: string, branch: string, error: unknown): Promise<never> {
  if (error instanceof GitError) await refuseBlockedNames(repo, branch);
  throw error;
}

async function fill(placed: Placed, branch: string, tip: string, input: EnsureInput): Promise<void> {
  if (placed.origin === 'recycled')
    return resetOnto(placed, tip ? { branch } : { branch, base: input.base }, input.keep).catch((error) =>
      orBlocked(input.repo, branch, error),
    );
  // No index: it was registered but never (completely) filled, so it contains no work.
  if (!(await exists(`${placed.gitDir}/index`))) await git(placed.path).run(['reset', '-q', '--hard']);
}

/**
 * Takes an idea that was rolled back along to the target, which may have moved since. False: it was not, or somebody
 * has worked in its place, and it stays as it is.
 */
async function beginAnew(
  { path, gitDir }: Placed,
  { branch, tip, base }: { branch: string; tip: string; base: string },
): Promise<boolean> {
  if (!tip || (await readMark(gitDir, 'rolled-back')) === undefined) return false;
  const status = await readStatus(path);
  if (status.branch !== branch || !holdsNoWork(status) || (await openOperation(gitDir))) return false;
  const repo = git(path);
  if (!(await isAncestor(path, tip, base))) return false;
  if (tip !== base) await repo.run(['checkout', '-q', '-f', '--no-track', '-B', branch, base, '--']);
  return true;
}

/**
 * Where the idea's work starts. A base that lacks the commit from which its branch was made was rewound, or is that of
 * another target: what lies between is not the idea's, so its own start counts, and the landing asks a person.
 */
async function startOfWork(input: EnsureInput, tip: string): Promise<string> {
  const common = await commonBase(input, tip);
  const began = await readTip(input.repo, branchRef(input.idea));
  if (began === undefined || began === common || (await isAncestor(input.repo, began, input.base))) return common;
  // Otherwise its own commits were moved since.
  return (await isAncestor(input.repo, began, tip)) ? began : common;
}

async function commonBase(input: EnsureInput, tip: string): Promise<string> {
  const got = await git(input.repo).result(['merge-base', input.base, tip], { ok: [0, 1], read: true });
  if (got.code === 0) return got.stdout.trim();
  throw new RepositoryError(
    `The branch ${ideaBranch(input.idea)} has no history in common with ${input.base.slice(0, 10)}.`,
    `Rename it, so that the idea starts over: git branch -m ${ideaBranch(input.idea)} old-${input.idea}`,
  );
}

/** The last check before an agent starts: this folder is its own worktree and on the idea's branch. */
async function assertPlace(path: string, branch: string): Promise<void> {
  const [top, ref] = await Promise.all([
    git(path).run(['rev-parse', '--show-toplevel'], { read: true }),
    // To `rev-parse --symbolic-full-name`, HEAD is ambiguous where a tag or branch has that name.
    git(path).run(['symbolic-ref', '-q', 'HEAD'], { ok: [0, 1], read: true }),
  ]);
  if (top === path && ref === `refs/heads/${branch}`) return;
  throw new RepositoryError(
    `${path} is not the worktree of ${branch}: git sees ${top} on ${ref || 'no branch'}.`,
    `Move the folder away and retry: mv ${shellQuoted(path)} ${shellQuoted(`${path}.old`)}`,
  );
}
