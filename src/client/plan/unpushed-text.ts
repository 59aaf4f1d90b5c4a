/** Words for commits that a remote lacks: a rollback is no landing. Pure. */

import type { Unpushed } from '../../git/delivery/unpushed.js';
import { many } from '../../protocol/many.js';

type Work = Pick<Unpushed, 'ideas' | 'undone'>;

const parts = ({ ideas, undone = [] }: Work): { landed: string[]; undone: readonly string[] } => ({
  landed: ideas.filter((idea) => !undone.includes(idea)),
  undone,
});

/** `landed work (a-1) and the rollback of b-2` */
export function workText(work: Work): string {
  const { landed, undone } = parts(work);
  return [
    ...(landed.length > 0 ? [`landed work (${some(landed, 3)})`] : []),
    ...(undone.length > 0 ? [`the rollback of ${some(undone, 3)}`] : []),
  ].join(' and ');
}

/** `pushed 2 landed ideas to origin/main: a-1, b-2` */
export function pushedText(work: Work, to: string): string {
  const { landed, undone } = parts(work);
  const back = `the rollback of ${some(undone, 5)}`;
  if (landed.length === 0 && undone.length > 0) return `pushed ${back} to ${to}`;
  const ideas = `pushed ${many(landed.length, 'landed idea')} to ${to}: ${some(landed, 5)}`;
  return undone.length > 0 ? `${ideas}; and ${back}` : ideas;
}

const some = (ideas: readonly string[], most: number): string =>
  ideas.length > most ? `${ideas.slice(0, most).join(', ')} and ${ideas.length - most} more` : ideas.join(', ');
