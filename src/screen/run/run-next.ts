/** *Next* on *Run*: the ideas that start next, and beside them limits and budget where the screen is wide. */
import type { RunModel } from '../../model/model.js';
import { listsOf } from '../lists.js';
import { coloured, dim, fill, type Line, line, listedRows, rule } from '../text/line.js';
import { dollars, dollarsOf, whole } from '../text/numbers.js';
import { clean, pad, padId, width } from '../text/text.js';
import { bar } from '../text/theme.js';
import { clock, duration } from '../text/time.js';
import type { Selection } from '../ui.js';
import type { View } from '../view.js';
import { limitWord } from '../words/state-words.js';
import { agentsOf, tookOver } from './standing.js';

/** Lines of ideas in two columns; more where others leave them. */
export const LEAST_NEXT = 4;
/** More ids than one row has room for. */
const MOST_IN_ROW = 60;
/** Column of the border between *Next* and the limits. */
export const EDGE = 56;

export interface Row {
  line: Line;
  at?: Selection;
}

export const isTwoColumns = ({ size }: View): boolean => size.columns >= 120 && size.rows >= 34;

export function nextRows(view: View, most: number): Row[] {
  const { model, size } = view;
  const { ready, waiting } = nextOf(model);
  if (isTwoColumns(view)) return nextWide(view, most);
  if (ready.length + waiting.length === 0) return [];
  const counts = `${whole(ready.length)} ready, ${whole(waiting.length)} ${waiting.length === 1 ? 'waits' : 'wait'} for others`;
  const height = most - LEAST_NEXT + 1;
  const items = [
    ...ready.slice(0, height * MOST_IN_ROW).map((id) => `◦ ${id}${score(model, id)}`),
    ...waiting.slice(0, height * MOST_IN_ROW).map(({ id, after }) => `· ${id} after ${after}`),
  ];
  const rows = listedRows(items, '   ', size.columns - 2, height);
  return [{ line: rule('Next', counts, size.columns) }, ...rows.map((one) => ({ line: line(' ', ...one) }))];
}

/** A run that stops starts nothing any more. */
const nextOf = (model: RunModel) => (model.state === 'stopping' ? { ready: [], waiting: [] } : listsOf(model));

function score(model: RunModel, id: string): string {
  const value = model.live?.scores?.[id];
  return value === undefined ? '' : ` ${value}`;
}

/** Next on the left, limits and budget on the right, in at most as many lines. */
function nextWide(view: View, most: number): Row[] {
  const { model, size } = view;
  const { ready, waiting } = nextOf(model);
  const right = limitLines(view, most);
  const count = ready.length + waiting.length;
  if (count === 0 && right.length === 0) return [];
  const left = EDGE;
  const room = count > most ? most - 1 : most;
  const lines: { id?: string; line: Line }[] = [
    ...ready.slice(0, room).map((id) => {
      const points = model.live?.scores?.[id];
      const title = pad(clean((model.ideas.get(id) ?? model.nextIdeas?.get(id))?.title ?? ''), 31);
      return {
        id,
        line: line(` ◦ ${padId(id, 12)} ${title}${pad(points === undefined ? '' : `${points}`, 6, 'right')}`),
      };
    }),
    ...waiting.slice(0, Math.max(0, room - ready.length)).map(({ id, after }) => ({
      id,
      line: line(' ', coloured('·', 'gray'), ` ${padId(id, 12)} after ${after}`),
    })),
  ];
  if (count > lines.length) lines.push({ line: line(dim(` … and ${whole(count - lines.length)} more: 3`)) });
  const height = Math.max(lines.length, right.length);
  const heads = `─ Next ${'─'.repeat(left - 17)} score ──┬─ Limits and budget `;
  const rows: Row[] = [
    { line: fill(line(dim(`${heads}${'─'.repeat(Math.max(0, size.columns - width(heads)))}`)), size.columns) },
  ];
  for (let index = 0; index < height; index += 1) {
    const one = lines[index];
    const spans = line(...fill(one?.line ?? [], left), dim('│'), ...(right[index] ?? []));
    // A new idea has no page before it runs.
    const isKnown = one?.id !== undefined && model.ideas.has(one.id);
    rows.push(isKnown ? { line: spans, at: { section: 'next', id: one.id ?? '' } } : { line: spans });
  }
  return rows;
}

function limitLines({ model, now }: View, most: number): Line[] {
  const names = listsOf(model).agents;
  const size = Math.max(6, ...names.map((one) => width(one)));
  const closed = new Map<string, Line>();
  for (const account of model.accounts.values()) {
    if (account.state === 'open') continue;
    const until =
      account.until === undefined ? '' : `, until ${clock(account.until, now)} (${duration(account.until - now)})`;
    const over = tookOver(model, account);
    const text = `${limitWord(account)}${until}${over ? `; ${clean(over)} took over` : ''}`;
    for (const agent of account.agents.map(clean))
      closed.set(agent, line(' ', coloured('◷', 'yellow'), ` ${pad(agent, size)}  ${text}`));
    if (account.agents.length === 0)
      closed.set(account.key, line(' ', coloured('◷', 'yellow'), ` ${agentsOf(account)}  ${text}`));
  }
  const open = names.filter((one) => !closed.has(clean(one)));
  const budgets = model.budget.filter(({ scope }) => scope !== 'idea');
  const agents = [
    ...closed.values(),
    ...open.map((one) => line(' ', coloured('✓', 'green'), ` ${pad(clean(one), size)}  open`)),
  ];
  const sums = budgets.map(({ scope, dimension, used, most: limit }) => {
    const part = limit === 0 ? 0 : used / limit;
    const amount =
      dimension === 'dollars'
        ? `${dollars(used)} of ${dollarsOf(limit)}`
        : `${whole(used)} of ${whole(limit)} ${dimension}`;
    return line(
      ` ${scope}  ${pad(amount, 15)} `,
      coloured(bar(part, 20), part >= 1 ? 'red' : 'blue'),
      ` ${Math.round(part * 100)}%`,
    );
  });
  return [...agents.slice(0, Math.max(1, most - sums.length)), ...sums].slice(0, most);
}
