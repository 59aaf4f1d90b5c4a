/** Landed work that has left the target, as notices on *Run* and warnings on *Needs you*. Pure. */
import { isDecided } from '../model/at-end.js';
import { partOf } from '../model/counts.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import { isReverted } from '../model/reverted.js';
import { fixSentence } from './words/gone-words.js';

const MOST_LINES = 2;
const MOST_NAMED = 5;

export interface GoneNotice {
  /** Where it is one. */
  idea?: string;
  text: string;
  short: string[];
}

/** Landed work that has left the target, about which nobody has decided; what waits for a person is in the list below. */
export function goneNotices({ order, ideas, target }: RunModel): GoneNotice[] {
  const gone = order.flatMap((id) => {
    const idea = ideas.get(id);
    return idea && isTold(idea) ? [idea] : [];
  });
  const [first] = gone;
  if (!first) return [];
  if (gone.length <= MOST_LINES && !first.off?.noBranch) return gone.map((idea) => noticeOf(idea, target));
  const rest = gone.length - MOST_NAMED;
  const names = `${gone
    .slice(0, MOST_NAMED)
    .map(({ id }) => id)
    .join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  const fix = first.off?.noBranch ? fixSentence(first.off) : 'See: ralphctl status';
  const text = `${names} landed, and ${target} does not have all of it any more. ${fix}`;
  return [{ text, short: [`${gone.length} landed and left ${target}. ${fix}`, fix] }];
}

const isTold = (idea: IdeaModel): boolean =>
  isReverted(idea) || (idea.off !== undefined && !isDecided(idea.forNext) && partOf(idea) !== 'needYou');

function noticeOf({ id, off, reason = '' }: IdeaModel, target: string): GoneNotice {
  if (off)
    return {
      idea: id,
      text: `${off.text}. ${fixSentence(off)}`,
      short: [`${id} is no longer on ${target}. ${fixSentence(off)}`, `${id}: ${off.command}`],
    };
  const [what = ''] = reason.split('; to run it again');
  return {
    idea: id,
    text: `${id} landed, and ${reason}`,
    short: [`${id} landed, and ${what}`, `${id} left ${target} again: ralphctl why ${id}`],
  };
}
