/**
 * The error about a target that is not there, with the command that brings it back as it was: a branch that is made where
 * somebody happens to be would lack what landed.
 * Invariant: reads only.
 */
import { shellWord } from '../../protocol/shell-words.js';
import { readMoves } from '../confinement/outside.js';
import { knownTips } from '../confinement/target-watch.js';
import { RepositoryError } from '../errors.js';
import { inspectRepository } from '../repository.js';
import { nameNow, newestOf } from './lost-branch.js';

/** `otherwise`: the error where nothing is known of the branch. */
export async function missingTarget(
  repo: string,
  target: string,
  otherwise = new RepositoryError(
    `There is no branch ${target} in ${repo}.`,
    `Create it: git branch ${shellWord(target)}`,
  ),
): Promise<RepositoryError> {
  const name = shellWord(target);
  const now = await nameNow(repo, target).catch(() => undefined);
  if (now !== undefined)
    return new RepositoryError(
      `There is no branch ${target} in ${repo}: it was renamed to ${now}.`,
      `Give it its name back: git branch -m ${shellWord(now)} ${name}`,
    );
  const last = await lastTip(repo, target).catch(() => undefined);
  if (last === undefined) return otherwise;
  return new RepositoryError(
    `There is no branch ${target} in ${repo} any more; it was last seen at ${last.slice(0, 12)}.`,
    `Bring it back: git branch ${name} ${last.slice(0, 12)}`,
  );
}

/** As the run knew it, or as a person left it in the checkout: git deletes the reflog with the branch. */
export async function lastTip(repo: string, target: string): Promise<string | undefined> {
  const { gitDir } = await inspectRepository(repo);
  const left = (await readMoves(gitDir, 'HEAD')).findLast(({ text }) =>
    text.startsWith(`checkout: moving from ${target} to `),
  );
  return newestOf(repo, [...(await knownTips(repo, target)), ...(left ? [left.from] : [])]);
}
