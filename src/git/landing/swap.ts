/**
 * Moves the target branch to a gated commit.
 * Invariant: compare-and-swap: the branch moves only from the commit that the gate saw merged. Each checkout of the branch
 * is updated where no user change blocks it. Otherwise its files and index stay byte for byte, and a ref written
 * together with the branch records their commit. Where the branch does not move, the checkouts are as before.
 */

import { brokenIndex } from '../checkout-index.js';
import { expectTip } from '../confinement/target-watch.js';
import { isLockContention, lockHeld } from '../locks.js';
import { realBranch } from '../real-branch.js';
import { type Git, GitError, git } from '../runner.js';
import { readStatus, type Status } from '../status.js';
import { refuseOpenOperations } from '../target-busy.js';
import { isWithin } from '../within.js';
import { exists, listWorktrees, type WorktreeEntry } from '../worktrees/list.js';
import { checkoutNote, switchedNotes } from './checkout-note.js';
import { catchUp, findObstacle, type Obstacle, obstacleTo, withOld } from './checkout-update.js';
import { undoHalf } from './half-done.js';
import { refuseHiddenCheckout } from './hidden-checkout.js';
import { behindFrom, type Checkout, checkoutsOf } from './lagging.js';
import { putBack, stagedAlike } from './put-back.js';
import { hasOldPaths } from './stale-files.js';
import { isStashed } from './stashed-old.js';

export interface SwapInput {
  /** Where git runs, on refs and objects only. */
  dir: string;
  target: string;
  from: string;
  to: string;
  /** Refs to write or delete no later than the move of the branch. */
  claims: ReadonlyArray<readonly [ref: string, commit: string | undefined]>;
  worktrees: readonly WorktreeEntry[];
  /** The backlog: when only its edits block the update, it alone stays behind. */
  mayLag?: string;
  /** `to` does not contain `from`. */
  rewrites?: boolean;
  /** For the reflog. */
  reason: string;
}
/** `moved: false`: somebody else moved the target, and nothing was done. */
export type SwapResult = { moved: true; note?: string } | { moved: false };

/** The move of the target for one landing. Throws {@link TargetBusy} while a person's operation holds the target. */
export async function swapTarget(given: SwapInput): Promise<SwapResult> {
  const input = { ...given, target: await realBranch(given.dir, given.target) };
  const { from, target } = input;
  // A person may have switched it there since the start.
  await refuseHiddenCheckout(input.dir, target, input.worktrees);
  await refuseOpenOperations(input.dir, target, input.worktrees);
  // The watch knows the target by the name in the run.
  await expectTip(input.dir, given.target, from, input.to);
  const all = await checkoutsOf(input.dir, target, input.worktrees);
  const away = all.filter((one) => one.away);
  const swapped = await swapKnown(input, all, away);
  if (!swapped.moved) return swapped;
  const late = await switchedMeanwhile(input, all);
  // That branch has moved, whatever became of other ones.
  const old = await switchedNotes(input.dir, target, input.to).catch(() => []);
  const note = [swapped.note, ...late, ...old].filter(Boolean).join(' ');
  return { moved: true, ...(note ? { note } : {}) };
}

/**
 * A person may have switched a checkout to the target while it moved, and from the commit before: its files are of that
 * one. Remembers it, and returns the notes.
 */
async function switchedMeanwhile(input: SwapInput, known: readonly Checkout[]): Promise<string[]> {
  const { dir, target, from, to } = input;
  const notes: string[] = [];
  const seen = new Set(known.map(({ path }) => path));
  for (const one of await checkoutsOf(dir, target, await listedNow(input))) {
    if (seen.has(one.path) || one.away || one.base !== undefined) continue;
    if (!(await hasOldPaths(one.path, from, to))) continue;
    await git(dir).run(['update-ref', one.ref, from]);
    notes.push(checkoutNote(await findObstacle(one.path, { base: from, to }), one.path, target));
  }
  return notes;
}

async function swapKnown(input: SwapInput, all: readonly Checkout[], away: readonly Checkout[]): Promise<SwapResult> {
  const { target, from } = input;
  if (away.length === 0) return swapUnder(input, all);
  // Written before the branch moves, also where it then does not: they are behind from there on, or not at all.
  const bases = await Promise.all(away.map(async (one) => [one.ref, (await behindFrom(one, from)) ?? from] as const));
  const swapped = await swapUnder(
    { ...input, claims: [...input.claims, ...bases] },
    all.filter((one) => !one.away),
  );
  if (!swapped.moved) return swapped;
  const notes = away
    .filter((one) => one.away === 'locked')
    .map(({ path }) => checkoutNote({ kind: 'away' }, path, target));
  const note = [swapped.note, ...notes].filter(Boolean).join(' ');
  return { moved: true, ...(note ? { note } : {}) };
}

/** A checkout on the target. */
interface Holder {
  checkout: string;
  ref: string;
  /** The commit of its files, edits aside. */
  base: string;
  obstacle: Obstacle | undefined;
  status: Status;
  /** It is level, and a stash holds its files of this commit: they may come back. */
  stashed?: string;
}

/** Brings along the checkouts that are there. */
async function swapUnder(input: SwapInput, present: readonly Checkout[]): Promise<SwapResult> {
  const repo = git(input.dir);
  const { from, to } = input;
  const holders = (await Promise.all(present.map((one) => holderOf(input, one)))).filter((one) => one !== undefined);
  const [one, ...more] = holders;
  if (!one) return { moved: await updateRef(repo, input) };
  // git itself takes no more than one along.
  if (more.length > 0 || one.obstacle || one.base !== from || input.rewrites) return moveUnder(repo, input, holders);
  const moved = await fastForward(repo, input, one);
  if (moved === 'elsewhere') return { moved: await updateRef(repo, input) };
  if (moved !== 'refused' && moved !== 'put back') return moved;
  // Nothing of the user blocks files that git has changed once.
  const obstacle = moved === 'refused' ? await findObstacle(one.checkout, { base: one.base, to }) : undefined;
  return moveUnder(repo, input, [{ ...one, obstacle }]);
}

const UNKNOWN: Status = { tracked: [], untracked: [], nested: [] };

/** Undefined: a person has switched it since it was listed. */
async function holderOf({ from, to, target }: SwapInput, one: Checkout): Promise<Holder | undefined> {
  const { path: checkout, ref } = one;
  const broken = await brokenIndex(checkout);
  // git's list of worktrees has its branch, and the files are as the last landing left them.
  if (broken)
    return { checkout, ref, base: one.base ?? from, obstacle: { kind: 'broken', ...broken }, status: UNKNOWN };
  const status = await readStatus(checkout);
  if (status.branch !== target) return undefined;
  const behind = status.tracked.length > 0 ? await behindFrom(one, from) : undefined;
  const base = behind ?? from;
  const old = behind === undefined ? one.base : undefined;
  const stashed = old !== undefined && (await isStashed(checkout, old, to)) ? { stashed: old } : {};
  return { checkout, ref, base, obstacle: await obstacleTo(checkout, { base, to }, status), status, ...stashed };
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
  // The tip is the same, so the cause is not a race.
  throw new GitError(repo.dir, args, code, stderr, isLockContention(stderr) ? lockHeld(stderr) : undefined);
}

const claimLines = (input: SwapInput): string[] =>
  input.claims.map(([ref, commit]) => (commit ? `update ${ref} ${commit}` : `delete ${ref}`));
const tipOf = (repo: Git, ref: string): Promise<string> =>
  repo.run(['rev-parse', '--verify', '-q', ref], { ok: [0, 1], read: true });

/**
 * Refused: files block it, or git cannot write them, so the checkout must be left behind. Put back: git changed the files, and then did not move
 * the branch.
 */
async function fastForward(
  repo: Git,
  input: SwapInput,
  { checkout, ref, status, stashed }: Holder,
): Promise<SwapResult | 'refused' | 'put back' | 'elsewhere'> {
  const step = { base: input.from, to: input.to };
  const alike = await stagedAlike(checkout, step, status);
  // Checked together with the claims: a merge that finds the branch locked has already changed the files.
  const verify = `verify refs/heads/${input.target} ${input.from}`;
  if (!(await transact(repo, input, [...claimLines(input), verify]))) return { moved: false };
  const args = ['merge', '--ff-only', '--quiet', '--no-stat', '--no-autostash', '--no-overwrite-ignore', input.to];
  const env = { GIT_REFLOG_ACTION: input.reason };
  const { stderr } = await git(checkout).result(args, { ok: [0, 1, 2, 128], env });
  const names = [`refs/heads/${input.target}`, ref];
  const text = await repo.run(['for-each-ref', '--format=%(refname) %(objectname)', ...names], { read: true });
  const [tip = '', base] = names.map(
    (name) =>
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
  );
  if (tip === input.from) {
    if (await movedAnother(input, checkout)) return 'elsewhere';
    if (await putBack(input.dir, checkout, step, alike)) return 'put back';
    await undoHalf(checkout, { ...step, stderr });
    return 'refused';
  }
  if (tip !== input.to && !(await contains(repo, input.to, tip))) return { moved: false };
  if (base && base !== stashed) await repo.run(['update-ref', '-d', ref, base]);
  return { moved: true };
}

/** Whether the checkout is on the target now: a person may have switched it since it was listed. */
const isOn = async ({ target }: SwapInput, checkout: string): Promise<boolean> =>
  (await listWorktrees(checkout)).some(({ path, branch }) => path === checkout && branch === target);

/** From the main checkout where it is there: nothing else leads from a separate git directory to it. */
async function listedNow({ dir, worktrees: [main] }: SwapInput): Promise<WorktreeEntry[]> {
  return listWorktrees(main && !main.bare && (await exists(main.path)) ? main.path : dir);
}

/** A person switched the checkout a moment before git moved what was on it: that goes back, its files, too. */
async function movedAnother({ from, to, reason, target }: SwapInput, checkout: string): Promise<boolean> {
  const tree = (await listWorktrees(checkout)).find(({ path }) => path === checkout);
  if (!tree || tree.branch === target || tree.head !== to) return false;
  const there = git(checkout);
  const files = await there.result(['read-tree', '-m', '-u', to, from], { ok: [0, 1, 128] });
  if (files.code !== 0) return false;
  const moved = tree.branch === undefined ? ['--no-deref', 'HEAD'] : [`refs/heads/${tree.branch}`];
  await there.run(['update-ref', '-m', `${reason}: put back`, ...moved, from, to]);
  return true;
}

async function contains(repo: Git, ancestor: string, tip: string): Promise<boolean> {
  return (await repo.result(['merge-base', '--is-ancestor', ancestor, tip], { ok: [0, 1], read: true })).code === 0;
}

/** Moves the branch first; then the files of each checkout. */
async function moveUnder(repo: Git, input: SwapInput, holders: readonly Holder[]): Promise<SwapResult> {
  const { from, to, target } = input;
  const bases = holders.map(({ ref, base }) => `update ${ref} ${base}`);
  if (!(await transact(repo, input, [...claimLines(input), ...bases, `update refs/heads/${target} ${to} ${from}`])))
    return { moved: false };
  const notes: string[] = [];
  const failed: unknown[] = [];
  for (const one of holders) {
    // What one of them fails at does not leave the others behind.
    const note = await follow(repo, input, one).catch((error: unknown) => {
      failed.push(error);
      return undefined;
    });
    if (note !== undefined) notes.push(note);
  }
  if (failed.length > 0) throw failed[0];
  return { moved: true, ...(notes.length > 0 ? { note: notes.join(' ') } : {}) };
}

/** Updates the files, where edits block only paths that may stay behind. @returns what is to say of it */
async function follow(repo: Git, input: SwapInput, holder: Holder): Promise<string | undefined> {
  const { from, to, mayLag } = input;
  const { checkout, ref, base, obstacle, stashed } = holder;
  const forget = (): Promise<string> =>
    repo.run(stashed === undefined ? ['update-ref', '-d', ref, base] : ['update-ref', ref, stashed, base]);
  if (!(await isOn(input, checkout))) {
    // What it had lagged behind before stays remembered.
    if (base === from) await forget();
    return undefined;
  }
  const onlyLag = obstacle?.kind === 'edited' && obstacle.paths.every((path) => isWithin(path, mayLag));
  if (!obstacle || onlyLag) {
    const reached = obstacle?.kind === 'edited' ? await withOld(input.dir, { base, to }, obstacle.paths) : to;
    if (await catchUp(checkout, { base, to: reached })) {
      await (obstacle ? repo.run(['update-ref', ref, reached, base]) : forget());
      return undefined;
    }
  }
  const found = obstacle && !onlyLag ? obstacle : await findObstacle(checkout, { base, to });
  return checkoutNote(found.kind === 'refused' && obstacle ? obstacle : found, checkout, input.target);
}
