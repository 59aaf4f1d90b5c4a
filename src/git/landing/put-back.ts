/**
 * Puts the files of a checkout back, after git changed them and then did not move the branch. Otherwise the next commit
 * of a person there would take in work that has not landed.
 * Invariant: changes only what the failed update changed; no edit is ever overwritten.
 */

import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import type { Status } from '../status.js';
import { changedPaths, stagedPaths } from './checkout.js';
import { catchUp, editedPaths, type Step, withOld } from './checkout-update.js';

/** Changed paths that the user has already staged as they are in `to`: they are no part of the update. */
export async function stagedAlike(checkout: string, { base, to }: Step, status: Status): Promise<string[]> {
  if (status.tracked.length === 0) return [];
  const edited = await editedPaths(checkout, base);
  return edited.size === 0 ? [] : (await changedPaths(checkout, base, to)).filter((path) => edited.has(path));
}

/**
 * False: git had changed nothing.
 * @param alike what {@link stagedAlike} found before the update
 */
export async function putBack(
  dir: string,
  checkout: string,
  { base, to }: Step,
  alike: readonly string[],
): Promise<boolean> {
  const [moving, staged] = await Promise.all([changedPaths(checkout, base, to), stagedPaths(checkout, base)]);
  if (!moving.some((path) => staged.has(path) && !alike.includes(path))) return false;
  const before = alike.length > 0 ? await withOld(dir, { base: to, to: base }, alike) : base;
  if (await catchUp(checkout, { base: to, to: before })) return true;
  throw new RepositoryError(
    `git changed the files of ${checkout}, could not move its branch, and could not put the files back.`,
    `Before you commit there, put them back: git -C ${shellQuoted(checkout)} read-tree -m -u ${to} ${before}`,
  );
}
