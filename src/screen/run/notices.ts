/** What a person has to know beside the run, above *Needs you*: one line each, with its command whole. */
import { goneNotices } from '../gone.js';
import { coloured, type Line, line } from '../text/line.js';
import { clean, cut, width } from '../text/text.js';
import type { View } from '../view.js';

export function noticeLines({ model, size }: Pick<View, 'model' | 'size'>): Line[] {
  const room = size.columns - 3;
  const all = [...(model.notices ?? []).map(({ text, short }) => ({ text, short })), ...goneNotices(model)];
  return all.flatMap(({ text, short }) => {
    const last = short.at(-1);
    if (last === undefined) return [];
    const fits = [text, ...short].map((one) => clean(one)).find((one) => width(one) <= room);
    return [line(' ', coloured(`! ${fits ?? cut(clean(last), room)}`, 'yellow'))];
  });
}
