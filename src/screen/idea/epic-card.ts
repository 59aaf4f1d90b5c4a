/** The card of an epic: nobody works on it, so that it tells of the ideas in it (A4). */

import { groupProgress } from '../../model/counts.js';
import type { IdeaModel } from '../../model/model.js';
import { upToMore } from '../../protocol/up-to-more.js';
import { shownIn } from '../cut-off.js';
import { type Line, line } from '../text/line.js';
import { many } from '../text/numbers.js';
import { clean, cut, pad } from '../text/text.js';
import { LOOKS } from '../text/theme.js';
import type { View } from '../view.js';

/** Children of an epic on the screen; `show` has all of them. */
const MOST = 8;

export function epicTitle({ model }: View, idea: IdeaModel): { title: string; right: string } {
  const { done, total } = groupProgress(model.ideas, idea.id);
  const over = total > 0 && done === total;
  return {
    title: `${over ? LOOKS.landed.sign : '⊟'} epic`,
    right: over ? 'all landed' : `${done} of ${total} landed`,
  };
}

export function epicRows({ model, whole }: View, idea: IdeaModel, cells: number): Line[] {
  const children = idea.children.flatMap((id) => model.ideas.get(id) ?? []);
  if (children.length === 0) return [line(' there are no ideas in it')];
  const most = whole ? children.length : MOST;
  const ids = children.reduce((longest, { id }) => Math.max(longest, id.length), 8);
  const rows = upToMore(most, children).map((child) => {
    const shown = shownIn(model, child);
    const { done, total } = child.group ? groupProgress(model.ideas, child.id) : { done: 0, total: 0 };
    const state = child.group ? `${done} of ${total} landed` : shown;
    const sign = child.group ? '⊟' : LOOKS[shown].sign;
    return line(
      ` ${cut(`${sign} ${pad(child.id, Math.min(ids, 30))}  ${pad(state, 14)} ${clean(child.title)}`, cells)}`,
    );
  });
  const more = children.length - rows.length;
  return [...rows, ...(more > 0 ? [line(` … ${many(more, 'more idea')}: ralphctl show ${clean(idea.id)}`)] : [])];
}
