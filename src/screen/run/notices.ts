/** What a person has to know beside the run, above *Needs you* and the report: one line each, with its command whole. */
import { goneNotices } from '../gone.js';
import { coloured, type Line, line } from '../text/line.js';
import { clean, cut, width } from '../text/text.js';
import type { View } from '../view.js';

export const noticeLines = (view: Pick<View, 'model' | 'size'>): Line[] => [
  ...standingLines(view),
  ...linesOf(goneNotices(view.model), view),
];

/** Without landed work that left the target, which a report has of its own. */
export const standingLines = (view: Pick<View, 'model' | 'size'>): Line[] => linesOf(view.model.notices ?? [], view);

function linesOf(all: readonly { text: string; short: readonly string[] }[], { size }: Pick<View, 'size'>): Line[] {
  const room = size.columns - 3;
  return all.flatMap(({ text, short }) => {
    const last = short.at(-1);
    if (last === undefined) return [];
    const fits = [text, ...short].map((one) => clean(one)).find((one) => width(one) <= room);
    return [line(' ', coloured(`! ${fits ?? cut(clean(last), room)}`, 'yellow'))];
  });
}
