/** What came of a run, in the words of every view. Pure. */
import { landedText } from '../decide/text.js';
import type { Outcome } from '../model/at-end.js';
import { clean } from './text/text.js';

/** `2 landed`, `1 of them no longer on main`, `0 not`, `1 left out`; in a later run `2 of all 7 no longer on main` */
export function outcomeWords(
  { landed, landedBefore, gone, open, leftOut }: Outcome,
  target: string,
  not = 'not',
): string[] {
  return [
    landedText({ landed, landedBefore }),
    ...(gone > 0 ? [`${gone} of ${landedBefore ? `all ${landed}` : 'them'} no longer on ${clean(target)}`] : []),
    `${open} ${not}`,
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
  ];
}
