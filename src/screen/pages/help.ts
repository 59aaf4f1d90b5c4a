/** The page of keys, generated from the table of keys. */

import { name } from '../footer.js';
import { framed } from '../frame.js';
import { isOver } from '../idea/possible.js';
import { type Key, type KeyGroup, keysOn } from '../keys.js';
import { bold, dim, edges, fill, type Line, line } from '../text/line.js';
import { many } from '../text/numbers.js';
import { pad, width, wrapAll } from '../text/text.js';
import type { ScreenName } from '../ui.js';
import type { Picture, View } from '../view.js';

export const GROUP_NAMES: Readonly<Record<KeyGroup, string>> = {
  move: 'move',
  idea: 'the selected idea',
  run: 'the run',
  look: 'look',
  screen: 'screen',
};

export const SCREEN_NAMES: Readonly<Record<ScreenName, string>> = {
  run: 'Run',
  needs: 'Needs you',
  ideas: 'Ideas',
  log: 'Log',
  history: 'History',
  idea: 'an idea',
  help: 'Keys',
  report: 'Report',
};

const NOTE =
  'A capital letter is the bigger step: p pauses an idea, P the run; r retries it, R takes its commits back; x stops it, X removes its worktree.';

/** Of the lines of *Slots*. */
const COLUMNS =
  'In Slots, iter is the iteration and its limit, commits are those of this run alone (the page of an idea has all of its branch), and cost* lacks agent runs that did not report theirs.';

export function helpView(view: View): Picture {
  const { size, ui, theme } = view;
  const about = ui.back[0] ?? 'run';
  const keys = keysOn(about);
  const columns = size.columns >= 78 ? 3 : size.columns >= 50 ? 2 : 1;
  const cells = Math.floor((size.columns - 1) / columns);
  const groups: KeyGroup[][] =
    columns === 3
      ? [['move'], ['idea'], ['run', 'look', 'screen']]
      : columns === 2
        ? [
            ['move', 'run', 'screen'],
            ['idea', 'look'],
          ]
        : [['move', 'idea', 'run', 'look', 'screen']];
  const blocks = groups.map((list) => list.flatMap((group) => block(group, keys, cells, view)));
  const rows = Math.max(...blocks.map((one) => one.length));
  const body: Line[] = [];
  for (let row = 0; row < rows; row += 1) body.push(line(' ', ...blocks.flatMap((one) => fill(one[row] ?? [], cells))));
  const asks = keys.filter((key) => key.asks).map((key) => name(key, theme));
  const told = [
    keys.some(({ action }) => action === 'rollback') ? NOTE : '',
    isOver(view.model) && keys.some(({ action }) => action === 'pause-run')
      ? 'The run is over: P starts the next one.'
      : '',
    asks.length > 0 ? `${asks.join(' ')} ${asks.length === 1 ? 'asks' : 'ask'} first.` : '',
    about === 'run' ? COLUMNS : '',
  ].filter((one) => one !== '');
  const notes = wrapAll(told.join(' '), size.columns - 2).map((one) => line(dim(` ${one}`)));
  const room = size.rows - 1 - 3;
  const all = [...body, ...(rows + notes.length === room ? [] : [line()]), ...notes];
  const first = Math.max(0, Math.min(ui.scroll.help ?? 0, all.length - room));
  const more = all.length - room - first;
  const closes =
    more > 0 ? `${many(more, 'more line')} below (${theme.ascii ? 'j' : '↓'}) · Esc closes this` : 'Esc closes this';
  const head = edges(line(bold(` keys on: ${SCREEN_NAMES[about]}`)), line(dim(closes)), size.columns);
  const picture = framed(view, [head, ...all.slice(first, first + room)], {
    footer: edges(line(dim(' Esc back')), line(dim('q leave')), size.columns),
  });
  return { ...picture, most: Math.max(0, all.length - room) };
}

function block(group: KeyGroup, keys: readonly Key[], cells: number, { theme }: View): Line[] {
  const own = keys.filter((key) => key.group === group && key.label !== '');
  if (own.length === 0) return [];
  const size = Math.max(4, ...own.map((key) => width(name(key, theme)))) + 1;
  return [
    line(bold(GROUP_NAMES[group])),
    ...own.map((key) => line(` ${pad(name(key, theme), size)}${pad(key.does, Math.max(1, cells - size - 2))}`)),
  ];
}
