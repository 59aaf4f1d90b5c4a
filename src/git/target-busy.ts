/**
 * The target is held by an operation of a person (merge, rebase, …): a move of the branch would take the commits off that
 * the end of the operation does not know, or make its end fail.
 */

import { shellQuoted } from '../protocol/shell-words.js';
import { RepositoryError } from './errors.js';
import { listWorktrees, type WorktreeEntry } from './worktrees/list.js';
import { nameOf, type OpenOperation, type UnderWay, underWayOn } from './worktrees/operations.js';

/** Passes by itself, once the person has finished. */
export class TargetBusy extends RepositoryError {}

/** Throws {@link TargetBusy} when a checkout of the target is in the middle of an operation. */
export async function refuseOpenOperations(
  repo: string,
  target: string,
  worktrees?: readonly WorktreeEntry[],
): Promise<void> {
  const open = await openOperationOn(repo, target, worktrees);
  if (open) throw open;
}

/** Undefined: nothing holds the target. */
export async function openOperationOn(
  repo: string,
  target: string,
  worktrees?: readonly WorktreeEntry[],
): Promise<TargetBusy | undefined> {
  const open = await underWayOn(worktrees ?? (await listWorktrees(repo)), target);
  return open && new TargetBusy(problemOf(open, target), `Finish it, or: ${endOf(open)}`);
}

const problemOf = ({ operation, path, detached }: UnderWay, target: string): string =>
  `A ${nameOf(operation)} is in progress in ${path}, which ${detached ? 'moves' : 'has'} ${target}${detached ? ' when it ends' : ' checked out'}.`;

const endOf = ({ operation, path }: { operation: OpenOperation; path: string }): string =>
  `git -C ${shellQuoted(path)} ${operation === 'bisect' ? 'bisect reset' : `${operation} --abort`}`;
