/**
 * Moving the target branch to a gated commit.
 * Invariant: compare-and-swap: the branch moves only from the commit that the gate saw merged. A checkout of the branch
 * is fast-forwarded when it is clean; otherwise its files and its index stay byte for byte.
 */
import { catchUpCommand, closerBase, inTheWay, isUntouchedSince, rememberedBase } from './checkout-base.js';
import { type Git, GitError, git } from './git.js';
import { isLockContention, lockHeld } from './locks.js';
import { checkoutBaseRef } from './names.js';
import { openOperationIn } from './progress.js';
import { readStatus, type Status } from './status.js';
import { exists, privateGitDir, type WorktreeEntry } from './worktree-list.js';

export interface SwapInput {
  /** Where git runs: not a user's checkout. */
  dir: string;
  target: string;
  from: string;
  to: string;
  /** Refs to write, or to delete, no later than the branch moves. */
  claims: ReadonlyArray<readonly [ref: string, commit: string | undefined]>;
  worktrees: readonly WorktreeEntry[];
  /** For the reflog. */
  reason: string;
}
/** `moved: false`: somebody else moved the target, nothing was done. */
export type SwapResult = { moved: true; note?: string } | { moved: false };

/** One landing's step onto the target. */
export async function swapTarget(input: SwapInput): Promise<SwapResult> {
  const repo = git(input.dir);
  const checkouts: string[] = [];
  for (const tree of input.worktrees)
    if (tree.branch === input.target && (await exists(tree.path))) checkouts.push(tree.path);
  const [checkout] = checkouts;
  if (!checkout) return { moved: await updateRef(repo, input) };
  const status = await readStatus(checkout);
  if (checkouts.length === 1 && status.tracked.length === 0 && !(await openOperationIn(checkout))) {
    const done = await fastForward(repo, input, checkout);
    if (done) return done;
  }
  return leaveBehind(repo, input, checkouts, status);
}

/** Claims and branch in one transaction; false when the branch is no longer at `from`. */
const updateRef = (repo: Git, input: SwapInput): Promise<boolean> =>
  transact(repo, input, [...claimLines(input), `update refs/heads/${input.target} ${input.to} ${input.from}`]);

/** False when the branch is no longer at `from`; then nothing was written. */
async function transact(repo: Git, input: SwapInput, lines: readonly string[]): Promise<boolean> {
  const args = ['update-ref', '-m', input.reason, '--stdin'];
  const { code, stderr } = await repo.result(args, { input: `${lines.join('\n')}\n`, ok: [0, 128] });
  if (code === 0) return true;
  if ((await tipOf(repo, `refs/heads/${input.target}`)) !== input.from) return false;
  // Same tip, so it was not the race.
  throw new GitError(repo.dir, args, code, stderr, isLockContention(stderr) ? lockHeld(stderr) : undefined);
}

const claimLines = (input: SwapInput): string[] =>
  input.claims.map(([ref, commit]) => (commit ? `update ${ref} ${commit}` : `delete ${ref}`));
const tipOf = (repo: Git, ref: string): Promise<string> =>
  repo.run(['rev-parse', '--verify', '-q', ref], { ok: [0, 1], read: true });

/** Undefined: git refused (files in the way), so the checkout must be left behind. */
async function fastForward(repo: Git, input: SwapInput, checkout: string): Promise<SwapResult | undefined> {
  // Checked together with the claims: a merge that finds the branch locked has changed the files already.
  const verify = `verify refs/heads/${input.target} ${input.from}`;
  if (!(await transact(repo, input, [...claimLines(input), verify]))) return { moved: false };
  const args = ['merge', '--ff-only', '--quiet', '--no-stat', '--no-autostash', '--no-overwrite-ignore', input.to];
  await git(checkout).result(args, { ok: [0, 1, 2, 128], env: { GIT_REFLOG_ACTION: input.reason } });
  const names = [`refs/heads/${input.target}`, checkoutBaseRef(input.target)];
  const text = await repo.run(['for-each-ref', '--format=%(refname) %(objectname)', ...names], { read: true });
  const [tip = '', base] = names.map(
    (name) =>
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
  );
  if (tip === input.from) return undefined;
  if (tip !== input.to && !(await contains(repo, input.to, tip))) return { moved: false };
  if (base) await repo.run(['update-ref', '-d', names[1] ?? '', base]);
  return { moved: true };
}

async function contains(repo: Git, ancestor: string, tip: string): Promise<boolean> {
  return (await repo.result(['merge-base', '--is-ancestor', ancestor, tip], { ok: [0, 1], read: true })).code === 0;
}

async function leaveBehind(
  repo: Git,
  input: SwapInput,
  checkouts: readonly string[],
  status: Status,
): Promise<SwapResult> {
  const [checkout = ''] = checkouts;
  const remembered = await rememberedBase(input.dir, input.target);
  const untouched =
    checkouts.length === 1 && remembered !== undefined && (await isUntouchedSince(checkout, remembered, status));
  const base = untouched ? remembered : await closerBase(checkout, remembered, input.from);
  if (!(await updateRef(repo, input))) return { moved: false };
  if (untouched && (await catchUp(checkout, base, input.to))) {
    await forgetBase(repo, input.target);
    return { moved: true };
  }
  await repo.run(['update-ref', checkoutBaseRef(input.target), base]);
  return { moved: true, note: await describe(input, checkouts, base, status) };
}

/** Brings an untouched checkout from `base` to `to`; false when git refuses. */
async function catchUp(checkout: string, base: string, to: string): Promise<boolean> {
  if ((await openOperationIn(checkout)) || (await inTheWay(checkout, base, to)).length > 0) return false;
  await git(checkout).result(['update-index', '-q', '--refresh'], { ok: [0, 1] });
  return (await git(checkout).result(['read-tree', '-m', '-u', base, to], { ok: [0, 1, 128] })).code === 0;
}

async function forgetBase(repo: Git, target: string): Promise<void> {
  if (await rememberedBase(repo.dir, target)) await repo.run(['update-ref', '-d', checkoutBaseRef(target)]);
}

async function describe(input: SwapInput, checkouts: readonly string[], base: string, status: Status): Promise<string> {
  const [checkout = ''] = checkouts;
  const where = checkouts.join(' and ');
  const blocking = status.tracked.length > 0 ? [] : await inTheWay(checkout, base, input.to);
  const locked = await indexLock(checkout);
  const why = locked
    ? `has a locked index (if no git runs there: rm '${locked}')`
    : blocking.length > 0
      ? `has untracked files in the way (${blocking.slice(0, 3).join(', ')})`
      : 'has uncommitted changes';
  const first = blocking.length > 0 ? 'move those files away, then ' : '';
  return (
    `before you commit in your checkout, ${first}run: ${catchUpCommand(checkout, input.target)} ` +
    `(it keeps your edits). ${where} ${why}, so it was left as it is while ${input.target} moved on.`
  );
}

async function indexLock(checkout: string): Promise<string | undefined> {
  const lock = `${(await privateGitDir(checkout)) ?? `${checkout}/.git`}/index.lock`;
  return (await exists(lock)) ? lock : undefined;
}
