/** *Run* on a terminal too small for its sections, and on one too small for any view. */
import type { IdeaModel, RunModel } from '../../model/model.js';
import { crop, messageLine } from '../bottom.js';
import { footer } from '../footer.js';
import { listsOf, type Need, needName } from '../lists.js';
import { needText } from '../pages/need-lines.js';
import { bold, coloured, edges, type Line, line, listed, within } from '../text/line.js';
import { dollarsOf, moneyText, needYou, usedText } from '../text/numbers.js';
import { cut, wrap } from '../text/text.js';
import { LOOKS, shownOf } from '../text/theme.js';
import { clock } from '../text/time.js';
import type { Selection } from '../ui.js';
import { type Picture, placeOrNone, type View, windowAt } from '../view.js';
import { happened, isSmall } from './happened.js';
import { noticeLines } from './notices.js';
import { restingWords } from './resting.js';
import { ideaOf } from './run.js';
import { standingOf } from './standing.js';
import { place, stateLine } from './top.js';

export const isSmallSize = ({ columns, rows }: View['size']): boolean => columns < 60 || rows < 15;
export const isTooSmall = ({ columns, rows }: View['size']): boolean => columns < 40 || rows < 10;

const TOO_SMALL = 'too small; ralphctl status tells the same';

export function tooSmall({ columns, rows }: View['size']): Line[] {
  const wrapped = wrap(TOO_SMALL, columns);
  // The last line of the terminal stays empty.
  return (wrapped.length < rows ? wrapped : [cut(TOO_SMALL, columns)]).map((text) => line(text));
}

/** Selectable entries, in display order. */
export function smallPlaces(model: RunModel): Selection[] {
  const { needs, resting, idle } = listsOf(model);
  const at =
    (section: 'needs' | 'resting') =>
    ({ id }: { id: string }) => ({ section, id });
  return [...needs.map(at('needs')), ...[...resting, ...idle].map(at('resting'))];
}

export function smallView(view: View): Picture {
  const { model, details, now, size, ui, theme } = view;
  const { columns } = size;
  const height = size.rows - 1;
  const { counts } = model;
  const { needs, slots, resting, idle } = listsOf(model);
  const standing = standingOf(model, details, now);
  const lines: Line[] = [
    edges(
      line(bold(place(model, columns)), '  ', stateLine(standing)),
      line(`${counts.landed}/${counts.total}`),
      columns,
    ),
    within(line(` ${standing.second ?? countsText(view)}`), columns),
  ];
  const notices = noticeLines(view);
  lines.push(...notices);
  const rows: { idea?: IdeaModel; name: string; shown: Need['shown']; told: string }[] = [
    ...needs.map((need) => ({ ...need, name: needName(need), told: needText(need) })),
    ...[...resting, ...idle].map((idea) => ({
      idea,
      name: idea.id,
      shown: shownOf(idea, model.landing),
      told: restingWords(idea),
    })),
  ];
  const places = smallPlaces(model);
  const at = placeOrNone(places, ui.selected.run, (one) => ideaOf(one, model));
  const room = Math.max(1, height - 7 - notices.length);
  const first = windowAt(at, rows.length, room);
  for (const [index, row] of rows.slice(first, first + room).entries()) {
    const look = LOOKS[row.shown];
    const mark = first + index === at ? '>' : ' ';
    const text = `${row.name} ${row.shown}: ${row.told}`;
    lines.push(within(line(mark, coloured(look.sign, look.colour), ` ${text}`), columns));
  }
  if (slots.length > 0) {
    const items = slots.map((idea) => {
      const last = idea.iterations.at(-1);
      const { sign } = LOOKS[shownOf(idea, model.landing)];
      const iteration = last ? ` ${last.number}${idea.max === undefined ? '' : `/${idea.max}`}` : '';
      const percent = idea.percent === undefined || idea.percent >= 100 ? '' : ` ${idea.percent}%`;
      return `${sign} ${idea.id}${iteration}${percent}`;
    });
    lines.push(line(' ', ...listed(items, '  ', columns - 2)));
  }
  for (let index = model.log.length - 1; index >= 0 && lines.length < height - 3; index -= 1) {
    const event = model.log[index];
    if (!event || isSmall(event)) continue;
    const { at: when, sign, colour, who, text } = happened(event, model, now);
    lines.push(within(line(` ${clock(when, now)} `, coloured(sign, colour), ` ${who} ${text}`), columns));
  }
  const { idea } = rows[at] ?? {};
  const message = messageLine(view, { left: '', right: '' });
  const end = footer(
    { screen: 'run', model, details, right: '? keys  q leave', without: new Set(['order']), ...(idea ? { idea } : {}) },
    columns,
    theme,
  );
  return {
    lines: [...crop(lines, height - 2), message.line, end],
    ...(message.cursor === undefined ? {} : { cursor: { line: height - 2, column: message.cursor } }),
    ...(places[at] ? { selected: places[at] } : {}),
  };
}

function countsText({ model }: View): string {
  const { working, landing, todo } = model.counts;
  const budget = model.budget.find(({ scope, dimension }) => scope === 'run' && dimension === 'dollars');
  const money = budget
    ? `  ${usedText(budget)} of ${dollarsOf(budget.most)}`
    : model.spent.dollars > 0
      ? `  ${moneyText(model.spent)}`
      : '';
  return `${working} work  ${landing} land  ${needYou(listsOf(model).needs.length)}  ${todo} to do${money}`;
}
