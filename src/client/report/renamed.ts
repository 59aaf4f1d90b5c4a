/** A target that somebody renamed or deleted, while another branch has what landed on it. Pure. */
import type { Where } from '../../git/landing/lost-branch.js';
import type { Renamed } from '../../model/model.js';
import { type StartAgain, startCommand } from '../../model/start-again.js';
import { shellWord } from '../../protocol/shell-words.js';
import type { RunFile } from '../../run-files/shapes.js';
import { namedOf, startAgainOf } from '../../run-files/start-again.js';

type Place = Pick<RunFile, 'target' | 'flags' | 'waves' | 'named'>;

/** How a run onto this branch starts. */
export const startOnto = (place: Place, branch: string = place.target): StartAgain =>
  startAgainOf(branch === place.target ? place : { ...place, named: { ...namedOf(place), target: branch } });

/** Undefined: the target exists, or nothing has its work. */
export function renamedOf(place: Place, { branch, renamed, newest }: Where): Renamed | undefined {
  const { target } = place;
  if (branch === undefined || branch === target) return undefined;
  const start = startCommand(startOnto(place, branch));
  const [from, to] = [shellWord(target), shellWord(branch)];
  if (renamed) {
    const back = `git branch -m ${to} ${from}`;
    return {
      branch,
      text: `the branch ${target} was renamed to ${branch}${newest === undefined ? '' : ', which has what landed on it'}`,
      fix: `Go on with ${branch}: ${start}. Or name it ${target} again: ${back}`,
      commands: [start, back],
    };
  }
  const back = `git branch ${from} ${newest?.slice(0, 8) ?? branch}`;
  return {
    branch,
    text: `the branch ${target} does not exist any more (deleted or renamed); ${branch} has what landed on it`,
    fix: `Bring ${target} back: ${back}. Or go on with ${branch}: ${start}`,
    commands: [back, start],
  };
}
