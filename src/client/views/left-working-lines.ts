/** Says which ideas still work for a run that somebody terminated, and what a person can do. Pure. */
import type { RunModel } from '../../model/model.js';
import { leftWords } from '../../screen/words/left-words.js';
import { type LeftWorking, worksNow } from '../api/left-working.js';
import { clean, many } from './live-lines.js';
import { localTime } from './terminal.js';

const MOST_NAMED = 10;

const DOES: Readonly<Record<LeftWorking['doing'], string>> = {
  agent: 'its agent works',
  gate: 'its gate runs',
  other: 'ralphctl works on it',
  waits: 'it waits',
};

/** `its agent works since 12:03`. */
export const leftDoes = ({ doing, since }: LeftWorking): string => `${DOES[doing]} since ${localTime(since)}`;

/** `a-1 (its agent works since 12:03)`. */
export const leftName = (left: LeftWorking): string => `${left.idea} (${leftDoes(left)})`;

const named = (all: readonly string[]): string =>
  `${all.slice(0, MOST_NAMED).join(', ')}${all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : ''}`;

/** What works, as the begin of a sentence. */
export const stillWorks = (left: readonly LeftWorking[]): string =>
  `${many(left.length, 'idea')} still ${left.length === 1 ? 'works' : 'work'} for a run that has ended: ${named(left.map(leftName))}`;

/** For `why`. `start`: the command of the next run. */
export function leftIdeaLines(left: LeftWorking, start: string): string[] {
  const of = 'for a run that has ended';
  return worksNow(left)
    ? [
        `! ${leftDoes(left)}, ${of}`,
        `  to take it over: ${start}; to end it, with its work saved: ralphctl cleanup ${left.idea} --force`,
      ]
    : [`it waits since ${localTime(left.since)}, ${of}; the next start takes it over`];
}

/** For a command that leaves an idea out: it does not end what works. */
export const leftOutText = (left: LeftWorking): string =>
  `But ${leftDoes(left)}, for a run that has ended: the next run ends it after its iteration. To end it now, with its work saved: ralphctl cleanup ${left.idea} --force`;

/** Of an open run: ideas of an earlier one that it told to end. */
export function endedHereLines(model: RunModel | undefined): string[] {
  const all = model?.endedHere ?? [];
  const more = all.length - MOST_NAMED;
  return [
    ...all.slice(0, MOST_NAMED).map(({ idea, why }) => `! ${clean(`${idea} ${leftWords(why)}`)}`),
    ...(more > 0 ? [`! and ${more} more; all of them: ralphctl logs`] : []),
  ];
}

/** For `status`. `start`: the command of the next run. */
export function leftLines(left: readonly LeftWorking[], start: string): string[] {
  const at = left.filter(worksNow);
  const waits = left.filter((one) => !worksNow(one)).map(({ idea }) => idea);
  const [first] = at;
  if (!first)
    return waits.length === 0
      ? []
      : [`left open by a run that has ended, and taken over by the next start: ${named(waits)}`];
  const one = at.length === 1 ? first.idea : 'IDEA';
  return [
    `! ${stillWorks(at)}`,
    `  to take ${at.length === 1 ? 'it' : 'them'} over: ${start}; to end ${at.length === 1 ? 'it' : 'one'}, with its work saved: ralphctl cleanup ${one} --force`,
    ...(waits.length > 0 ? [`  the next start also takes over: ${named(waits)}`] : []),
  ];
}
