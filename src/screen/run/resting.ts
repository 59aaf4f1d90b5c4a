/**
 * The paused and held ideas of an open run, and those that wait while none works: their lines on *Run*, and the words for
 * a run that only the paused and held ones keep open.
 */
import { restingText } from '../../decide/views/resting.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { listsOf } from '../lists.js';
import { coloured, dim, type Line, line, rule } from '../text/line.js';
import { whole } from '../text/numbers.js';
import { clean, cut, pad, padId } from '../text/text.js';
import { LOOKS, shownOf } from '../text/theme.js';
import { age } from '../text/time.js';
import type { View } from '../view.js';

/** Maximum number of ideas in the section. */
const MOST = 3;

interface RestingLine {
  id?: string;
  line: Line;
}

const isPaused = ({ status }: IdeaModel): boolean => status === 'paused';

/** `nothing runs: 1 paused, 1 held`; undefined while an idea works, lands or can start. */
export function standsStill(model: RunModel): string | undefined {
  const lists = listsOf(model);
  const { working, landing } = model.counts;
  if (lists.resting.length === 0 || working + landing + lists.ready.length > 0) return undefined;
  // An idea that waits for a slot or an account starts by itself.
  if (model.order.some((id) => model.ideas.get(id)?.status === 'wants-slot')) return undefined;
  const paused = lists.resting.filter(isPaused).length;
  return restingText({ paused, held: lists.resting.length - paused });
}

export function restingLines(view: View): RestingLine[] {
  const { resting, idle } = listsOf(view.model);
  return [...linesOf(view, resting, 'Paused or held', 'p resume'), ...linesOf(view, idle, 'Waiting', '')];
}

/** The reason of a wait says more than the title. */
export const restingWords = ({ reason, waits, title }: IdeaModel): string => clean(waits?.text ?? reason ?? title);

function linesOf({ model, size, now }: View, ideas: readonly IdeaModel[], title: string, right: string): RestingLine[] {
  if (ideas.length === 0) return [];
  const { columns } = size;
  const name = Math.max(12, Math.min(listsOf(model).longestId, columns >= 120 ? 24 : 14));
  const shown = ideas.length > MOST ? ideas.slice(0, MOST - 1) : ideas;
  const lines: RestingLine[] = shown.map((idea) => {
    const state = shownOf(idea, model.landing);
    const { sign, colour } = LOOKS[state];
    const waits = pad(idea.since === undefined ? '' : age(now - idea.since), 3, 'right');
    const start = line(' ', coloured(sign, colour), ` ${padId(idea.id, name)} ${pad(state, 10)}`);
    return {
      id: idea.id,
      line: line(...start, `${waits}  `, cut(restingWords(idea), Math.max(4, columns - name - 21))),
    };
  });
  const more = ideas.length - shown.length;
  return [
    { line: rule(`${title} ${whole(ideas.length)}`, right, columns) },
    ...lines,
    ...(more > 0 ? [{ line: line(dim(` … and ${whole(more)} more: 3`)) }] : []),
  ];
}
