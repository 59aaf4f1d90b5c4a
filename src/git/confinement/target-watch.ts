/**
 * The target moves by landings of ralphctl and by commits, pulls and merges of people. ralphctl asks about any other
 * move before the next landing builds on it.
 * Invariant: ralphctl records a move before it makes it, so that a crash in between does not look like a foreign move.
 * Of several moves from one tip, whichever wins is ralphctl's own. A tip that an idea asked about is accepted once that
 * idea returns and the tip is unchanged.
 */
import { join } from 'node:path';
import { brokenIndex, despiteIndex } from '../checkout-index.js';
import { RepositoryError } from '../errors.js';
import { changedPaths, stagedPaths } from '../landing/checkout.js';
import { checkoutsOf } from '../landing/lagging.js';
import { exclusive } from '../locks.js';
import { readTip } from '../refs.js';
import { namesIn, orNone } from '../regular.js';
import { headBranch, readLinks } from '../worktrees/list.js';
import { openOperationIn } from '../worktrees/operations.js';
import { madeSince } from './out-of-bounds.js';
import { type RefMove, readMoves } from './outside.js';
import { type Wall, wallAt } from './wall.js';
import { readJson, writeJson } from './wall-sections.js';

interface Known extends KnownTarget {
  /** The tips of ralphctl's own latest moves. */
  ours?: string[];
  asked?: { tip: string; ideas: string[] };
}

const MOST_OURS = 200;
/** Moves from one tip, of which one wins. */
const MOST_AT_ONCE = 20;

const fileOf = (wall: Wall, target: string): string => join(wall.dir, `target-${encodeURIComponent(target)}.json`);

/** At the start of a run: records the tip of the target. */
export async function watchTarget(repo: string, target: string): Promise<void> {
  const wall = wallAt(repo);
  if (!wall || (await readJson<Known>(fileOf(wall, target)))) return;
  const tip = await readTip(repo, `refs/heads/${target}`);
  if (tip) await note(wall, target, { tips: [tip] });
}

async function note(wall: Wall, target: string, known: Pick<Known, 'tips' | 'ours'>): Promise<void> {
  const [tip = ''] = known.tips;
  const logged = await isLogged(wall, target, tip);
  await writeJson(fileOf(wall, target), { ...known, logged } satisfies Known);
}

/** The tips of the target that a run knew last, whether it is there or not. */
export async function knownTips(repo: string, target: string): Promise<readonly string[]> {
  const wall = wallAt(repo);
  return (wall && (await readJson<Known>(fileOf(wall, target)))?.tips) ?? [];
}

/** By ref: the tips that landings of ralphctl set, and the last known tip. */
export async function targetTips({ dir }: Wall): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = (await namesIn(dir)).filter((name) => /^target-.+\.json$/.test(name));
  const all = await Promise.all(
    files.map(async (name): Promise<[string, Set<string>]> => {
      const known = await readJson<Known>(join(dir, name));
      const target = decodeURIComponent(name.slice('target-'.length, -'.json'.length));
      return [`refs/heads/${target}`, new Set([...(known?.ours ?? []), ...(known?.tips ?? [])])];
    }),
  );
  return new Map(all);
}

/** Call before ralphctl moves the target to `to`. Does nothing without a known run. */
export async function expectTip(dir: string, target: string, from: string, to: string): Promise<void> {
  const wall = wallAt(dir);
  if (!wall) return;
  const file = fileOf(wall, target);
  await exclusive(file, async () => {
    const { ours = [], tips = [] } = (await readJson<Known>(file)) ?? {};
    // Another move from there may win, such as a rollback against a look at a pull request.
    const others = tips[0] === from ? tips.slice(1).filter((tip) => tip !== to) : [];
    const all = [from, ...others.slice(-MOST_AT_ONCE), to];
    await note(wall, target, { tips: all, ours: [...ours, to].slice(-MOST_OURS) });
  });
}

/**
 * Call before a landing builds on `tip`. Throws {@link RepositoryError} when neither ralphctl nor a person seems to
 * have moved the target.
 */
export async function admitTip(dir: string, target: string, tip: string, idea: string): Promise<void> {
  const wall = wallAt(dir);
  if (!wall) return;
  await exclusive(fileOf(wall, target), () => admit(wall, target, tip, idea));
}

async function admit(wall: Wall, target: string, tip: string, idea: string): Promise<void> {
  const file = fileOf(wall, target);
  const known = await readJson<Known>(file);
  if (known?.tips.includes(tip)) return;
  const asked = known?.asked?.tip === tip ? known.asked.ideas : [];
  const how = known && !asked.includes(idea) ? await strangeMove(wall, target, known, tip) : undefined;
  if (!known || how === undefined) return note(wall, target, { tips: [tip], ours: known?.ours });
  await writeJson(file, { ...known, asked: { tip, ideas: [...asked, idea] } } satisfies Known);
  const from = known.tips.at(-1) ?? '';
  throw new RepositoryError(
    `${target} moved from ${from.slice(0, 10)} to ${tip.slice(0, 10)} without a landing: ${how}.`,
    `If that was not you, undo it: git update-ref refs/heads/${target} ${from} ${tip}. Then, or if it was you: ralphctl answer ${idea} "go on"`,
  );
}

/*
 * Checks whether git moved the target in a checkout of the user. Git records such a move in the branch's reflog, in the
 * reflog of HEAD of the checkout on the branch, and in the index of that checkout. A plain write of the ref, or a
 * forged line, misses at least one of them.
 * Invariant: reads only. Every way in which people move a branch leaves all of this evidence.
 */

/** The last known state of the target. */
export interface KnownTarget {
  /** The last known tip, and the tips that ralphctl was about to set. */
  tips: string[];
  /** Whether the reflog had that tip. Absent in files of 0.1. */
  logged?: boolean;
}

/** Seconds between two lines of one command, such as a rebase. */
const ONE_COMMAND = 60;
const ZEROS = /^0+$/;

/** Why no person seems to have made the move to `tip`; undefined when a person made it. */
export async function strangeMove(
  wall: Wall,
  target: string,
  known: KnownTarget,
  tip: string,
): Promise<string | undefined> {
  const moves = await readMoves(wall.commonDir, `refs/heads/${target}`);
  const steps = stepsFrom(moves, known.tips, tip);
  if (steps === 'lost')
    return known.logged ? 'its reflog no longer has the tip from which it moved' : inOurWorktrees(wall, tip, []);
  if (steps === 'unrecorded') return 'somebody wrote its file by hand, as its reflog lacks the move';
  if (steps === 'broken') return 'its reflog has a line that does not follow from the line before it';
  return (
    (await inOurWorktrees(wall, tip, steps)) ??
    (await besideTheCheckout(wall, target, steps)) ??
    (await leftBehind(wall, target, known.tips, tip))
  );
}

/** The lines from the known tip to the new one. */
function stepsFrom(
  moves: readonly RefMove[],
  tips: readonly string[],
  tip: string,
): RefMove[] | 'lost' | 'unrecorded' | 'broken' {
  const reached = moves.findLastIndex(({ to }) => tips.includes(to));
  // The line of the known tip may have expired.
  const left = reached < 0 ? moves.findIndex(({ from }) => tips.includes(from)) : reached + 1;
  if (left < 0) return 'lost';
  const end = moves.findLastIndex(({ to }) => to === tip);
  if (end < left) return 'unrecorded';
  const steps = moves.slice(left, end + 1);
  const before = [reached < 0 ? steps[0]?.from : moves[reached]?.to, ...steps.map(({ to }) => to)];
  return steps.every(({ from }, at) => from === before[at]) ? steps : 'broken';
}

/** Only ralphctl lands the work of ideas. */
async function inOurWorktrees(wall: Wall, tip: string, steps: readonly RefMove[]): Promise<string | undefined> {
  const reached = new Set([tip, ...steps.map(({ to }) => to)]);
  for (const [name, { path }] of Object.entries(await readLinks(wall.commonDir))) {
    if (!isOurs(wall, path)) continue;
    const made = madeSince(await readMoves(join(wall.commonDir, 'worktrees', name), 'HEAD'), 0);
    if ([...reached].some((commit) => made.has(commit))) return `it holds work from ${path}, which no gate has checked`;
  }
  return undefined;
}

const isOurs = ({ linked }: Wall, path: string): boolean => linked.some((folder) => path.startsWith(`${folder}/`));

/** While a checkout is on the branch, git also writes each move into the reflog of its HEAD. */
async function besideTheCheckout(wall: Wall, target: string, steps: readonly RefMove[]): Promise<string | undefined> {
  const { commonDir } = wall;
  const links = Object.entries(await readLinks(commonDir)).filter(([, { path }]) => !isOurs(wall, path));
  const heads = await Promise.all(
    [commonDir, ...links.map(([name]) => join(commonDir, 'worktrees', name))].map(async (dir) => ({
      log: await readMoves(dir, 'HEAD'),
      now: (await headBranch(dir).catch(orNone)) === target,
    })),
  );
  for (const step of steps) {
    const paired = heads.some(({ log }) => log.some((one) => one.to === step.to && near(one, step)));
    const there = heads.some(({ log, now }) => log.length > 0 && wasOn(log, target, now, step.at));
    if (there && !paired)
      return 'the reflog of HEAD lacks the move, so it was not made by a commit, merge or pull in your checkout';
  }
  return undefined;
}

const near = (one: RefMove, step: RefMove): boolean => Math.abs(one.at - step.at) <= ONE_COMMAND;

/** Whether the checkout was on the branch during that whole second. `now`: whether it is now. */
function wasOn(log: readonly RefMove[], target: string, now: boolean, at: number): boolean {
  const switches = log.flatMap((one) => {
    const [, from, to] = /^checkout: moving from ([^ ]+) to ([^ ]+)$/.exec(one.text) ?? [];
    return from && to ? [{ at: one.at, from, to }] : [];
  });
  if (switches.some((one) => one.at === at)) return false;
  const before = switches.findLast((one) => one.at < at);
  const after = switches.find((one) => one.at > at);
  return (before?.to ?? target) === target && (after ? after.from === target : now);
}

/** A commit, a merge and a pull also update the index. */
async function leftBehind(
  { root }: Wall,
  target: string,
  tips: readonly string[],
  tip: string,
): Promise<string | undefined> {
  const from = tips.at(-1) ?? '';
  const checkouts = await checkoutsOf(root, target);
  // One that is behind after landings is no evidence.
  if (checkouts.some(({ base }) => base !== undefined)) return undefined;
  for (const { path: checkout, away } of checkouts) {
    if (away) continue;
    if (await openOperationIn(checkout)) continue;
    const moved = await changedPaths(checkout, from, tip).catch(() => []);
    if (moved.length === 0) continue;
    const staged = await despiteIndex(
      checkout,
      () => Promise.all([stagedPaths(checkout, from), stagedPaths(checkout, tip)]),
      ({ file }) => file,
    );
    if (typeof staged === 'string') return unread(staged);
    const [offOld, offNew] = staged;
    if (!moved.every((path) => offNew.has(path) && !offOld.has(path))) continue;
    // git reads one that was cut as one with fewer files.
    const broken = await brokenIndex(checkout);
    return broken
      ? unread(broken.file)
      : `the index of ${checkout} still has the files of before, so no commit, merge or pull was made there`;
  }
  return undefined;
}

const unread = (file: string): string => `nothing shows a commit, merge or pull there, as git cannot read ${file}`;

/** Whether the reflog shows how the branch reached this tip. */
export async function isLogged({ commonDir }: Wall, target: string, tip: string): Promise<boolean> {
  const moves = await readMoves(commonDir, `refs/heads/${target}`);
  return moves.some(({ from, to }) => (to === tip || from === tip) && !ZEROS.test(to));
}
