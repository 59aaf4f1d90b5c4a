/**
 * Updates a user's checkout when its branch moves, as `git pull` would: only where no changed path is edited, staged or
 * untracked there.
 * Invariant: all or nothing; no edit is ever overwritten.
 */

import { shellQuoted } from '../../protocol/shell-words.js';
import { type BrokenIndex, brokenIndex } from '../checkout-index.js';
import { identityEnv, slotAuthor, writeCommit } from '../commits.js';
import { git } from '../runner.js';
import type { Status } from '../status.js';
import { exists } from '../worktrees/list.js';
import { gitDirOf, nameOf, type OpenOperation, openOperationIn } from '../worktrees/operations.js';
import { changedPaths, editedFiles, stagedPaths } from './checkout.js';
import { undoHalf } from './half-done.js';
import { type Hidden, hiddenEdits } from './hidden-edits.js';
import { inTheWay } from './in-the-way.js';
import { withTree } from './tick.js';

/** Why a checkout cannot be updated. */
export type Obstacle =
  | { kind: 'operation'; operation: OpenOperation }
  | { kind: 'unmerged' | 'edited' | 'untracked'; paths: readonly string[] }
  | ({ kind: 'hidden' } & Hidden)
  | { kind: 'locked'; lock: string }
  | ({ kind: 'broken' } & BrokenIndex)
  | { kind: 'away' }
  | { kind: 'switched'; branch?: string }
  | { kind: 'refused' };

export interface Step {
  /** The commit of its files, edits aside, and the new commit. */
  base: string;
  to: string;
}

/** The user's work that blocks the update. git itself, or {@link catchUp}, handles untracked files. */
export async function obstacleTo(checkout: string, step: Step, status: Status): Promise<Obstacle | undefined> {
  const operation = await openOperationIn(checkout);
  if (operation) return { kind: 'operation', operation };
  const unmerged = status.tracked.filter((one) => one.unmerged).map(({ path }) => path);
  if (unmerged.length > 0) return { kind: 'unmerged', paths: unmerged };
  const paths = status.tracked.length > 0 ? await overlap(checkout, step) : [];
  return paths.length > 0 ? { kind: 'edited', paths } : undefined;
}

/** Changed paths that the user has also changed, unless both changes are the same. */
async function overlap(checkout: string, { base, to }: Step): Promise<string[]> {
  const moving = await changedPaths(checkout, base, to);
  const edited = await editedPaths(checkout, base);
  const both = moving.filter((path) => edited.has(path));
  if (both.length === 0) return [];
  const still = await editedPaths(checkout, to);
  return both.filter((path) => still.has(path));
}

/** Tracked paths whose file or staged version is not that of the commit. */
export async function editedPaths(checkout: string, commit: string): Promise<Set<string>> {
  const [files, staged] = await Promise.all([editedFiles(checkout, commit), stagedPaths(checkout, commit)]);
  return new Set([...files, ...staged]);
}

/**
 * Updates files and index from `base` to `to` and keeps edits; false when git refuses or an untracked file blocks it.
 */
export async function catchUp(checkout: string, { base, to }: Step): Promise<boolean> {
  if ((await inTheWay(checkout, base, to)).length > 0) return false;
  await git(checkout).result(['update-index', '-q', '--refresh'], { ok: [0, 1] });
  const got = await git(checkout).result(['read-tree', '-m', '-u', base, to], { ok: [0, 1, 128] });
  if (got.code === 0) return true;
  // A disk without room may refuse that, too. The branch has moved by now.
  await undoHalf(checkout, { base, to, stderr: got.stderr }).catch(() => undefined);
  return false;
}

/** A commit like `to`, but with some paths as in `base`: the content of a checkout that keeps its edits of those. */
export async function withOld(dir: string, { base, to }: Step, paths: readonly string[]): Promise<string> {
  const repo = git(dir);
  const tree = await withTree(dir, to, async (env) => {
    const specs = paths.map((path) => `:(top,literal)${path}`);
    const { stdout } = await repo.result(['ls-tree', '-r', '-z', '--full-tree', base, '--', ...specs], { read: true });
    const old = stdout.split('\0').filter(Boolean);
    const there = new Set(old.map((line) => line.slice(line.indexOf('\t') + 1)));
    const gone = paths.filter((path) => !there.has(path)).map((path) => `0 ${'0'.repeat(base.length)}\t${path}`);
    await repo.run(['update-index', '-z', '--index-info'], { env, input: [...gone, ...old, ''].join('\0') });
  });
  const message = `state of a checkout that keeps its old version of: ${paths.join(', ')}\n`;
  const commit = { tree, parents: [to], author: slotAuthor('ralphctl'), message };
  return writeCommit(repo, commit, { who: await identityEnv(dir) });
}

/** The obstacle, when git refused without naming it. */
export async function findObstacle(checkout: string, { base, to }: Step): Promise<Obstacle> {
  const lock = `${(await gitDirOf(checkout)) ?? `${checkout}/.git`}/index.lock`;
  if (await exists(lock)) return { kind: 'locked', lock };
  const broken = await brokenIndex(checkout);
  if (broken) return { kind: 'broken', ...broken };
  const paths = await inTheWay(checkout, base, to);
  if (paths.length > 0) return { kind: 'untracked', paths };
  const hidden = await hiddenEdits(checkout, base, to);
  return hidden ? { kind: 'hidden', ...hidden } : { kind: 'refused' };
}

/** The obstacle, and its fix. */
export function describeObstacle(obstacle: Obstacle, checkout: string): { problem: string; first?: string } {
  switch (obstacle.kind) {
    case 'operation':
      return {
        problem: `a ${nameOf(obstacle.operation)} is in progress in ${checkout}`,
        // Its end is a commit, and on old files that takes the landed work off. A rebase would put the old tip back.
        first: `${obstacle.operation === 'rebase' ? 'leave' : 'undo'} it (git -C ${shellQuoted(checkout)} ${WAY_OUT[obstacle.operation]})`,
      };
    case 'unmerged':
      return { problem: `a conflict in ${some(obstacle.paths)} of ${checkout} is open`, first: 'resolve it' };
    case 'edited':
      return { problem: `landed work changes ${some(obstacle.paths)}, which you have edited in ${checkout}` };
    case 'untracked':
      return {
        problem: `untracked ${some(obstacle.paths)} in ${checkout} blocks files that landed`,
        first: `move ${obstacle.paths.length > 1 ? 'them' : 'it'} away`,
      };
    case 'hidden':
      return {
        problem: `landed work changes ${some([...obstacle.assumed, ...obstacle.skipped])}, which you have edited in ${checkout} and marked ${marksOf(obstacle)}`,
        first: `clear ${obstacle.assumed.length > 0 && obstacle.skipped.length > 0 ? 'the marks' : 'the mark'} (${clearing(obstacle, checkout)})`,
      };
    case 'locked':
      return {
        problem: `the index of ${checkout} is locked`,
        first: `end the git process there. If none runs, remove the lock: rm ${shellQuoted(obstacle.lock)}`,
      };
    case 'broken':
      return {
        problem: `the index of ${checkout} is ${obstacle.gone ? 'gone' : 'broken'}`,
        first: `rebuild it (${obstacle.rebuild})`,
      };
    case 'away':
      return { problem: `the folder of the locked worktree ${checkout} is not there`, first: 'bring it back' };
    case 'switched':
      return {
        problem: `a switch to ${obstacle.branch ?? 'no branch'} took old versions of landed files along in ${checkout}`,
      };
    case 'refused':
      return { problem: `git did not update the files of ${checkout}` };
  }
}

const WAY_OUT: Readonly<Record<OpenOperation, string>> = {
  rebase: 'rebase --quit',
  am: 'am --quit',
  merge: 'merge --abort',
  'cherry-pick': 'cherry-pick --abort',
  revert: 'revert --abort',
  bisect: 'bisect reset',
};

const marksOf = ({ assumed, skipped }: Hidden): string =>
  [...(assumed.length > 0 ? ['assume-unchanged'] : []), ...(skipped.length > 0 ? ['skip-worktree'] : [])].join(' or ');

function clearing({ assumed, skipped }: Hidden, checkout: string): string {
  const clear = (flag: string, paths: readonly string[]): string[] =>
    paths.length > 0
      ? [`git -C ${shellQuoted(checkout)} update-index ${flag} -- ${paths.map(shellQuoted).join(' ')}`]
      : [];
  return [...clear('--no-assume-unchanged', assumed), ...clear('--no-skip-worktree', skipped)].join(' && ');
}

/** A list of names of any length, in a sentence. */
export const some = (paths: readonly string[]): string =>
  paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ');
