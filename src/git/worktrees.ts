/**
 * One worktree per idea, at `<root>/<agent>-<idea>`, on the branch `ralph/<idea>`.
 * Invariant: idempotent from any leftover state; never falls back to another folder; loses no work (see adopt.ts,
 * recycle.ts, leftovers.ts). Registration happens under the repository mutex, filling the folder outside of it.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adopt, isUnder } from './adopt.js';
import { refuseBlockedNames, refuseForeign } from './branch-names.js';
import { RepositoryError } from './errors.js';
import { GitError, git } from './git.js';
import { clearPath } from './leftovers.js';
import { exclusive } from './locks.js';
import { clearMark, readMark, writeMark } from './marks.js';
import { branchRef, ideaBranch, worktreeName } from './names.js';
import { recoverBranch } from './recover.js';
import { type Recycled, resetOnto, takeRecyclable } from './recycle.js';
import { readTip } from './refs.js';
import { canonical, exists, headBranch, listWorktrees, privateGitDir } from './worktree-list.js';

export interface EnsureInput {
  repo: string;
  worktreesRoot: string;
  agentName: string;
  idea: string;
  /** Commit to branch from, where the idea has no branch yet. */
  base: string;
  /** Ignored folders that survive recycling, as gitignore patterns: `node_modules`, `.venv`. */
  keep: readonly string[];
  recycle: boolean;
}

export interface EnsuredWorktree {
  path: string;
  branch: string;
  /** Commit that the branch and `base` have in common: what the idea's diff is taken against. */
  base: string;
  origin: 'created' | 'recycled' | 'adopted';
  /** Repairs that were needed, in words. */
  repairs: string[];
}

type Placed = Recycled & { origin: EnsuredWorktree['origin'] };

/** The idea's worktree, ready to work in. Throws {@link RepositoryError} when a person must decide. */
export async function ensureWorktree(input: EnsureInput): Promise<EnsuredWorktree> {
  const branch = ideaBranch(input.idea);
  await mkdir(input.worktreesRoot, { recursive: true });
  const root = await canonical(input.worktreesRoot);
  const path = join(root, worktreeName(input.agentName, input.idea));
  const key = `meta:${await canonical(input.repo)}`;
  const { placed, tip } = await exclusive(key, () => place(input, root, path, branch));
  await fill(placed, branch, tip, input);
  await Promise.all([
    ...(tip ? [] : [git(input.repo).run(['update-ref', branchRef(input.idea), input.base])]),
    writeMark(placed.gitDir, 'idea', input.idea),
    clearMark(placed.gitDir, 'recyclable'),
    clearMark(placed.gitDir, 'recycling'),
    clearMark(placed.gitDir, 'rolled-back'),
  ]);
  const base = tip ? await commonBase(input, tip) : input.base;
  const strayed = placed.origin === 'adopted' && (await headBranch(placed.gitDir)) !== branch;
  const { repairs } = strayed
    ? await recoverBranch({ worktree: placed.path, idea: input.idea, branch, base })
    : { repairs: [] };
  await assertPlace(placed.path, branch);
  return { path: placed.path, branch, base, origin: placed.origin, repairs };
}

async function place(
  input: EnsureInput,
  root: string,
  path: string,
  branch: string,
): Promise<{ placed: Placed; tip: string }> {
  const { repo, idea } = input;
  const [entries, tip = ''] = await Promise.all([listWorktrees(repo), readTip(repo, `refs/heads/${branch}`)]);
  const own = await adopt({ repo, root, path, branch, idea }, entries);
  if (own) return { placed: { ...own, origin: 'adopted' }, tip };
  if (tip) await refuseForeign(repo, idea, tip, input.base);
  const at = entries.find((entry) => entry.path === path);
  const half = at && (await halfRecycled(path));
  if (half) return { placed: { ...half, origin: 'recycled' }, tip };
  const ours = entries.filter((entry) => isUnder(entry.path, root));
  const recycled = input.recycle ? await takeRecyclable(repo, ours, input.agentName, path) : undefined;
  if (recycled) return { placed: { ...recycled, origin: 'recycled' }, tip };
  await clearPath(
    repo,
    path,
    (await listWorktrees(repo)).find((entry) => entry.path === path),
    idea,
  );
  await add(repo, path, branch, tip ? undefined : input.base);
  const gitDir = await privateGitDir(path);
  if (!gitDir)
    throw new RepositoryError(`git made no valid worktree at ${path}.`, 'Check that the disk is not full, then retry.');
  return { placed: { path, gitDir, origin: 'created' }, tip };
}

/** A crash came between taking a worktree for recycling and its last step: it holds nothing. */
async function halfRecycled(path: string): Promise<Recycled | undefined> {
  const gitDir = await privateGitDir(path);
  return gitDir && (await readMark(gitDir, 'recycling')) !== undefined ? { path, gitDir } : undefined;
}

async function add(repo: string, path: string, branch: string, base: string | undefined): Promise<void> {
  const what = base === undefined ? [path, branch] : ['--no-track', '-b', branch, path, base];
  try {
    // Registered first and filled later, so that big checkouts run beside each other.
    await git(repo).run(['worktree', 'add', '--no-checkout', '-q', ...what]);
  } catch (error) {
    if (error instanceof GitError) await refuseBlockedNames(repo, branch);
    throw error;
  }
}

async function fill(placed: Placed, branch: string, tip: string, input: EnsureInput): Promise<void> {
  if (placed.origin === 'recycled')
    return resetOnto(placed, tip ? { branch } : { branch, base: input.base }, input.keep);
  // No index: it was registered and never (completely) filled, so nothing in it is work.
  if (!(await exists(`${placed.gitDir}/index`))) await git(placed.path).run(['reset', '-q', '--hard']);
}

async function commonBase(input: EnsureInput, tip: string): Promise<string> {
  const got = await git(input.repo).result(['merge-base', input.base, tip], { ok: [0, 1], read: true });
  if (got.code === 0) return got.stdout.trim();
  throw new RepositoryError(
    `The branch ${ideaBranch(input.idea)} has no history in common with ${input.base.slice(0, 10)}.`,
    `Rename it, so that the idea starts afresh: git branch -m ${ideaBranch(input.idea)} old-${input.idea}`,
  );
}

/** The last check before an agent is let loose: this folder is a worktree of its own and on the idea's branch. */
async function assertPlace(path: string, branch: string): Promise<void> {
  const text = await git(path).run(['rev-parse', '--show-toplevel', '--symbolic-full-name', 'HEAD'], { read: true });
  const [top, ref] = text.split('\n');
  if (top === path && ref === `refs/heads/${branch}`) return;
  throw new RepositoryError(
    `${path} is not the worktree of ${branch}: git sees ${top} on ${ref}.`,
    `Move the folder away and retry: mv '${path}' '${path}.old'`,
  );
}
