/**
 * Only git in the idea's own worktree, and ralphctl, may move the branch of an idea. Any other move (a plain write of
 * the ref, a git elsewhere) is not work of this idea.
 * Invariant: ralphctl saves the commits of such a move before it moves the branch back. It asks once about a move
 * between two runs, and accepts the move when the idea returns and the branch is unchanged.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { git } from '../runner.js';
import { keep } from '../saves/saves.js';
import { headBranch, privateGitDir, readBranches } from '../worktrees/list.js';
import { MOVES_HEAD, type OutOfBoundsChange } from './out-of-bounds.js';
import { type RefMove, readMoves } from './outside.js';
import { readTrace } from './trace.js';
import type { Wall } from './wall.js';
import { readJson, writeJson } from './wall-sections.js';

export interface OwnBranch {
  worktree: string;
  branch: string;
  idea: string;
}

interface OwnTip {
  tip: string;
  /** A tip that a person was asked about. */
  asked?: string;
}

const FOLDER = 'tips';
const fileOf = (wall: Wall, idea: string): string => join(wall.dir, FOLDER, `${encodeURIComponent(idea)}.json`);
const short = (commit: string): string => commit.slice(0, 10);

/** Records the tip where ralphctl leaves the branch. */
export async function noteOwnTip(wall: Wall, idea: string, tip: string): Promise<void> {
  await mkdir(join(wall.dir, FOLDER), { recursive: true });
  await writeJson(fileOf(wall, idea), { tip } satisfies OwnTip);
}

/** The tip where ralphctl left the branch, as far as it knows. */
export const notedTip = async (wall: Wall, idea: string): Promise<string | undefined> =>
  (await readJson<OwnTip>(fileOf(wall, idea)))?.tip;

/**
 * Call before an agent continues from `tip`. Returns a warning when git moved the branch in the idea's worktree
 * meanwhile, for example because a person fixed something there. Throws {@link RepositoryError} when the move came from
 * elsewhere.
 */
export async function admitOwnTip(
  wall: Wall,
  { worktree, branch, idea }: OwnBranch,
  tip: string,
): Promise<string | undefined> {
  const known = await readJson<OwnTip>(fileOf(wall, idea));
  if (!known || known.tip === tip) return undefined;
  const from = known.tip;
  const gitDir = await privateGitDir(worktree);
  const log = gitDir ? await readMoves(gitDir, 'HEAD') : [];
  const left = log.findLastIndex(({ to }) => to === from);
  const fresh = log.slice(left + 1);
  const there = left >= 0 && !gapIn([from, ...fresh.map(({ to }) => to)], fresh) && fresh.at(-1)?.to === tip;
  if (!there && known.asked !== tip) {
    await writeJson(fileOf(wall, idea), { ...known, asked: tip } satisfies OwnTip);
    throw new RepositoryError(
      `${branch} moved from ${short(from)} to ${short(tip)} between two runs of ${idea}, and no git in its worktree moved it.`,
      `See: git log -p ${short(from)}..${short(tip)}. If that was not you, undo it: git -C ${shellQuoted(worktree)} reset --keep ${from}. Then, or if it was you: ralphctl retry ${idea}`,
    );
  }
  await noteOwnTip(wall, idea, tip);
  return there
    ? `${branch} moved from ${short(from)} to ${short(tip)} in its worktree before ${idea} went on; if that was not you: git -C ${shellQuoted(worktree)} reset --keep ${short(from)}`
    : undefined;
}

export interface Begun {
  /** Tip of the branch before the run. */
  tip: string | undefined;
  /** Number of lines in the reflog of the worktree's HEAD, and the last one. */
  head: HeadLog | undefined;
  /** File of the run's trace. */
  trace: string;
}

export interface HeadLog {
  lines: number;
  last: string;
}

export async function readHeadLog(worktree: string): Promise<HeadLog | undefined> {
  const gitDir = await privateGitDir(worktree);
  const log = gitDir ? await readMoves(gitDir, 'HEAD') : [];
  return log.length > 0 ? { lines: log.length, last: log.at(-1)?.line ?? '' } : undefined;
}

/** Call after an agent run. Finds moves of the branch from elsewhere and reverses them. */
export async function foreignMoves(own: OwnBranch, before: Begun): Promise<OutOfBoundsChange[]> {
  const { worktree, branch } = own;
  const gitDir = await privateGitDir(worktree);
  const log = gitDir ? await readMoves(gitDir, 'HEAD') : [];
  const { tip: from, head } = before;
  // Reads a file instead of running git: the wall would restore settings before the later check sees them.
  const ref = `refs/heads/${branch}`;
  const tip = gitDir
    ? (await readBranches(join(gitDir, '../..'), branch.slice(0, branch.lastIndexOf('/') + 1)))[ref]
    : '';
  // Without a reflog there is no evidence.
  if (!gitDir || !head || from === undefined || tip === undefined || tip === from) return [];
  if (log[head.lines - 1]?.line !== head.last) {
    // ralphctl recreated the worktree and its reflog.
    const traced = (await readTrace(before.trace)).some((one) => one.worktree === worktree && MOVES_HEAD.has(one.name));
    return traced ? [] : [told(own, { from, to: tip }, 'its worktree was removed')];
  }
  const fresh = log.slice(head.lines);
  const last = fresh.at(-1)?.to ?? from;
  const gap = gapIn([from, ...fresh.map(({ to }) => to)], fresh);
  const onIt = (await headBranch(gitDir)) === branch;
  const known = onIt ? tip === last : fresh.some((line) => line.from === tip || line.to === tip);
  return [
    ...(gap ? [told(own, gap, 'its agent went on from there')] : []),
    ...(known ? [] : [await takeBack(own, { from: last, to: tip }, onIt)]),
  ];
}

/** The first line that does not start at the end of the line before it. */
function gapIn(ends: readonly string[], lines: readonly RefMove[]): Pick<RefMove, 'from' | 'to'> | undefined {
  const at = lines.findIndex((line, n) => line.from !== ends[n] && !/^0+$/.test(line.from));
  return at < 0 ? undefined : { from: ends[at] ?? '', to: lines[at]?.from ?? '' };
}

function told(
  { worktree, branch }: OwnBranch,
  { from, to }: Pick<RefMove, 'from' | 'to'>,
  then: string,
): OutOfBoundsChange {
  return {
    what: `${branch} moved from ${short(from)} to ${short(to)}, and no git in its worktree moved it; ${then}`,
    byOthers: true,
    look: `git -C ${shellQuoted(worktree)} log -p ${short(from)}..${short(to)}`,
    diff: [from, to],
  };
}

async function takeBack(own: OwnBranch, move: Pick<RefMove, 'from' | 'to'>, onIt: boolean): Promise<OutOfBoundsChange> {
  const { worktree, branch, idea } = own;
  const saved = await keep(worktree, idea, move.to, 'somebody else had moved its branch');
  // On another branch, HEAD does not show where this branch was.
  if (!onIt) return told(own, move, `its commit is saved as ${saved}`);
  const gitDir = await privateGitDir(worktree);
  const args = ['update-ref', '--no-deref', '-m', 'ralphctl: take back', `refs/heads/${branch}`, move.from, move.to];
  // Runs in the common directory: HEAD there is another branch, so git does not write to the worktree's reflog.
  const back = await git(worktree).result(['--git-dir', join(gitDir ?? '', '../..'), ...args], { ok: [0, 1, 128] });
  return told(own, move, `${back.code === 0 ? 'it is put back, and ' : ''}that commit is saved as ${saved}`);
}
