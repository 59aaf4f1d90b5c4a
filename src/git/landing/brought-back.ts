/**
 * Rollbacks that somebody has reverted: the idea's work is on the target again, although the newest commit that names the
 * idea is its rollback.
 * Invariant: a rollback counts as reverted only when nothing of it was left outside the backlog after a later commit that
 * names no idea, and nobody has taken the work off again since. Moves no ref and touches no file.
 */

import { git } from '../runner.js';
import { isWithin } from '../within.js';
import { changedPaths } from './checkout.js';
import { hasForeign, type LineCommit, readLine } from './first-parents.js';
import { type Left, whatIsLeft } from './left.js';

export interface Target {
  repo: string;
  target: string;
  /** The backlog inside the repository: its ticks are not part of an idea's work. */
  backlogPath?: string | undefined;
}

export interface Rollback {
  commit: string;
  /** The landing that it took back. */
  landed?: string | undefined;
  /** A newer commit on the target, which shows whether it is reverted there; absent: the tip. */
  at?: string | undefined;
}

const MOST_LOOKED_AT = 50;
const MOST_STEPS = 20;

/** Of these rollbacks, newest first, the ones that are reverted. */
export async function revertedAgain(about: Target, rollbacks: readonly Rollback[]): Promise<Set<string>> {
  const { repo, target } = about;
  const found = new Set<string>();
  const oldest = rollbacks.at(-1);
  if (!oldest || !(await hasForeign(repo, target, oldest.commit))) return found;
  const line = await readLine(repo, target, oldest.commit);
  for (const one of rollbacks.slice(0, MOST_LOOKED_AT)) if (await isReverted(about, line, one)) found.add(one.commit);
  return found;
}

async function isReverted(
  { repo, target, backlogPath }: Target,
  line: readonly LineCommit[],
  { commit, landed, at }: Rollback,
): Promise<boolean> {
  const from = at === undefined ? 0 : await placeOf(repo, target, line, at);
  const place = await placeOf(repo, target, line, commit);
  const seen = line[from];
  if (!seen || from >= place) return false;
  const outside = (paths: Iterable<string>): string[] => [...paths].filter((path) => !isWithin(path, backlogPath));
  const own = outside(await changedPaths(repo, `${commit}^`, commit));
  // Without files, it only noted that a person had taken the work off before.
  const change = own.length > 0 ? commit : landed;
  if (change === undefined) return false;
  const paths = own.length > 0 ? own : outside(await changedPaths(repo, `${change}^`, change));
  const later = line.slice(from, place).filter((one) => one.landed.length + one.reverted.length === 0);
  const touching = later.filter(({ files }) => paths.some((path) => files.has(path))).reverse();
  if (touching.length === 0) return false;
  const left = await whatIsLeft(repo, { from: `${change}^`, to: change });
  const isThere = ({ kept, unsure }: Left): boolean => paths.every((path) => !unsure.has(path) && kept.has(path));
  // In whatever files: the change follows a file that was renamed.
  const isGone = ({ kept, unsure }: Left): boolean =>
    outside(kept).length === 0 && paths.every((path) => !unsure.has(path));
  const [back, off] = change === landed ? [isThere, isGone] : [isGone, isThere];
  for (const one of touching.slice(0, MOST_STEPS)) {
    if (!back(await left(one.sha))) continue;
    // Somebody may have taken it off again by hand.
    return !off(await left(seen.sha));
  }
  return false;
}

/** Where a commit came onto the line: by itself, or with a merge that brought it in. -1: not within what was read. */
async function placeOf(repo: string, target: string, line: readonly LineCommit[], commit: string): Promise<number> {
  const place = line.findIndex(({ sha }) => sha === commit);
  if (place >= 0) return place;
  const args = ['rev-list', '--ancestry-path', `${commit}..refs/heads/${target}`, '--'];
  const later = new Set((await git(repo).run(args, { read: true })).split('\n'));
  return line.findLastIndex(({ sha }) => later.has(sha));
}
