/** Column positions of the slots. Invariant: they depend only on the size and on the ids of a run. */
import type { RunModel } from '../../model/model.js';
import { listsOf } from '../lists.js';
import { bold, dim, type Line, line } from '../text/line.js';
import { width } from '../text/text.js';
import type { View } from '../view.js';

export interface Columns {
  /** Width of the slot number, in cells. */
  number: number;
  id: number;
  /** A hint (`! stuck`, `step 3/4`) or the title. */
  middle: number;
  titles: boolean;
  bar: number;
  tests: boolean;
  commits: boolean;
  cost: boolean;
  costGap: number;
  now: number;
}

export interface Placed {
  columns: Columns;
  /** Headings with the column where each begins or ends. */
  heads: { text: string; at: number }[];
}

const NOW = 9;
/** Width of the column of commits. */
export const COMMITS = 9;

export function columnsFor(view: View, cells: boolean): Columns {
  const { size, model } = view;
  const w = size.columns;
  const { longestId, slots } = listsOf(model);
  const most = Math.max(model.slots ?? 0, slots.at(-1)?.slot ?? 0, slots.length);
  const spare = Math.max(0, Math.floor((Math.min(w, 140) - 80) / 4));
  const titles = w >= 100;
  const columns: Columns = {
    number: `${most}`.length,
    id: cells ? clamp(longestId, 8, 14) : clamp(longestId, 13, 13 + spare),
    middle: cells ? 0 : 8,
    titles,
    bar: w >= 120 ? 15 : 10,
    tests: true,
    commits: w >= 120,
    cost: true,
    costGap: cells || w >= 120 ? 2 : 1,
    now: 0,
  };
  const used = (): number => {
    const { number, id, middle, bar, tests, commits, cost, costGap } = columns;
    return (
      4 +
      number +
      id +
      (middle > 0 ? middle + 1 : 0) +
      iterCells(columns) +
      (bar > 0 ? 2 + bar + 4 : 0) +
      (tests ? 7 : 0) +
      (commits ? COMMITS : 0) +
      (cost ? costGap + 6 : 0) +
      6 +
      2
    );
  };
  const left = (): number => w - used();
  if (w < 80 && left() < NOW) columns.cost = false;
  if (left() < NOW) columns.tests = false;
  if (left() < NOW) columns.bar = 0;
  if (left() < NOW) columns.middle = 0;
  if (left() < NOW) columns.id = Math.max(8, columns.id + left() - NOW);
  // Cells that nothing else needs show more of long ids.
  if (!titles && !cells) columns.id = clamp(columns.id + left() - NOW, columns.id, Math.max(columns.id, longestId));
  if (titles) {
    // At 120 columns: 26 for the title, 18 for the current action.
    const more = left() + columns.middle;
    columns.middle = Math.max(12, Math.floor(more * 0.6));
  }
  columns.now = Math.max(0, left());
  return columns;
}

/** A hint usually leaves a free cell by itself. */
export const iterCells = ({ middle, titles }: Columns): number => (middle > 0 && !titles ? 6 : 7);

const clamp = (n: number, least: number, most: number): number => Math.max(least, Math.min(most, n));

/** The parts of one line, and the column of each heading. */
export function placed(columns: Columns): Placed {
  const { number, id, middle, bar, tests, commits, cost, costGap } = columns;
  const heads: Placed['heads'] = [];
  let at = 4 + number + id + (middle > 0 ? middle + 1 : 0) + iterCells(columns);
  const right = (text: string): void => {
    heads.push({ text, at: at - width(text) });
  };
  right('iter');
  if (bar > 0) {
    heads.push({ text: 'progress', at: at + 2 });
    at += 2 + bar + 4;
  }
  if (tests) {
    at += 7;
    right('tests');
  }
  if (commits) {
    at += COMMITS;
    right('commits');
  }
  if (cost) {
    at += costGap + 6;
    right('cost*');
  }
  at += 6;
  right('for');
  heads.push({ text: 'now', at: at + 2 });
  return { columns, heads };
}

export function header(title: string, { heads }: Placed, model: RunModel, width: number): Line {
  const cells = Array.from('─'.repeat(width));
  const put = (text: string, at: number): void => {
    for (const [index, char] of Array.from(` ${text} `).entries())
      if (at - 1 + index < width - 1) cells[at - 1 + index] = char;
  };
  put(title, 2);
  for (const { text, at } of heads) {
    const shown = text === 'cost*' && model.spent.unknownDollars === 0 ? 'cost ' : text;
    if (at > title.length + 3) put(shown, at);
  }
  return line(dim(cells.join('').slice(0, 2)), bold(title), dim(cells.join('').slice(2 + title.length)));
}
