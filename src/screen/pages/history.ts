/** *History*: the runs of a project, and the outcome of ideas that did not land. */

import { upToMore } from '../../protocol/up-to-more.js';
import type { HistoryIdea, HistoryRun } from '../details.js';
import { framed } from '../frame.js';
import { isOver } from '../idea/possible.js';
import { beside, box, type Part } from '../text/boxes.js';
import { bold, coloured, dim, edges, inverse, type Line, line, rule } from '../text/line.js';
import { dollars, many, moneyText, UNKNOWN, whole } from '../text/numbers.js';
import { clean, cut, pad, padId, width } from '../text/text.js';
import { LOOKS } from '../text/theme.js';
import { clock, dayClock, lasted, ran } from '../text/time.js';
import type { Selection } from '../ui.js';
import { type Picture, placeOf, type View, windowAt } from '../view.js';

/** Open ideas beside the list of runs. */
const MOST_OPEN = 8;

type Colour = 'blue' | 'cyan' | 'gray' | 'green' | 'red' | 'yellow';

const OUTCOMES: Readonly<Record<HistoryRun['outcome'], { sign: string; colour: Colour }>> = {
  running: { sign: '▸', colour: 'blue' },
  'no server': { sign: '!', colour: 'yellow' },
  'no worker': { sign: '!', colour: 'yellow' },
  'waits for you': { sign: '?', colour: 'cyan' },
  paused: { sign: '◫', colour: 'gray' },
  completed: { sign: '✓', colour: 'green' },
  stopped: { sign: '◫', colour: 'gray' },
  aborted: { sign: '✗', colour: 'red' },
  terminated: { sign: '!', colour: 'yellow' },
};

/** As the header of its own screen has it: not all of it landed, so it is no success. */
const lookOf = ({ outcome, notLanded = 0 }: HistoryRun): { sign: string; colour: Colour } =>
  outcome === 'completed' && notLanded > 0 ? { sign: '!', colour: 'yellow' } : OUTCOMES[outcome];

/** The column of the ids: as wide as they are, while `rest` columns stay for what stands beside them. */
const idCells = (ids: readonly { id: string }[], least: number, columns: number, rest: number): number =>
  Math.max(least, Math.min(columns - rest, Math.max(0, ...ids.map(({ id }) => width(id)))));

export const historyPlaces = (view: View): Selection[] => runsOf(view).map(({ runId }) => ({ id: runId }));

/** Runs that contain the searched idea; without a search, all. */
function runsOf({ details, ui }: View): HistoryRun[] {
  const runs = details.history?.runs ?? [];
  const find = ui.find.trim().toLowerCase();
  if (find === '') return runs;
  const has = ({ id }: { id: string }): boolean => id.toLowerCase().includes(find);
  return runs.filter(({ open = [], done = [] }) => open.some(has) || done.some(has));
}

export function historyView(view: View): Picture {
  const { details, ui, size, model } = view;
  const runs = runsOf(view);
  const at = placeOf(historyPlaces(view), ui.selected.history);
  const run = runs[at];
  const name = clean(model.name);
  const bottom = { end: '? keys  q leave' };
  const done = run ? { selected: { id: run.runId } } : {};
  if (runs.length === 0) {
    const lines = [
      edges(line(bold(name), ...leftOut(view)), line(dim('5 of 5')), size.columns),
      line(
        dim(
          details.history
            ? ui.find === ''
              ? ' no run yet'
              : ` no run had an idea like /${clean(ui.find)}`
            : ' loading the runs …',
        ),
      ),
    ];
    return framed(view, lines, bottom);
  }
  if (size.columns >= 120) return { ...framed(view, wide(view, runs, at), bottom), ...done };
  const month = leftOut(view).length > 0 ? '' : monthText(view);
  const head = edges(
    line(bold(name), `   ${many(runs.length, 'run')}`, ...leftOut(view)),
    line(dim(`${month}${month === '' ? '' : '     '}5 of 5`)),
    size.columns,
  );
  const height = size.rows - 1 - 3;
  const list = Math.max(3, Math.min(runs.length, Math.floor(height / 2) - 1));
  const first = windowAt(at, runs.length, list, ui.scroll.history);
  const lines = [
    head,
    line(
      dim(
        `   ${pad('begun', 12)}  ${pad('took', 6)}  ${pad('outcome', 15)}${fitting(['landed', '  not', '  iter.', '     cost'], '  agents', size.columns)}`,
      ),
    ),
    ...runs
      .slice(first, first + list)
      .map((one, index) => marked(runLine(one, view), first + index === at, size.columns)),
  ];
  if (run) lines.push(...below(run, view));
  return { ...framed(view, lines, bottom), ...done, scroll: first };
}

/** Runs whose files cannot be read are not in the list. A list of the last visit says of when it is. */
const leftOut = (view: View): Line => {
  const { leftOut: left = 0, at = 0 } = view.details.history ?? {};
  return [
    ...(left === 0 ? [] : line('  ', coloured(`! ${many(left, 'run')} left out: ralphctl doctor`, 'yellow'))),
    ...(isOld(view) ? line(dim(`  as of ${clock(at, view.now)}, loading …`)) : []),
  ];
};

/** The list is read again while the page is open, each half minute. */
const OLD_MS = 45_000;

function isOld({ details, model, now }: View): boolean {
  const { at, runs = [] } = details.history ?? {};
  if (at === undefined) return false;
  const goesOn = runs.some(({ runId, endedAt }) => runId === model.runId && endedAt === undefined);
  return now - at > OLD_MS || (goesOn && isOver(model) && (model.endedAt ?? 0) >= at);
}

const monthText = ({ details }: View): string => {
  const { monthLanded, monthDollars } = details.history ?? {};
  if (monthLanded === undefined) return '';
  const cost = monthDollars === undefined ? '' : `, ${dollars(monthDollars)}`;
  return `this month ${whole(monthLanded)} landed${cost}`;
};

const marked = (spans: Line, chosen: boolean, columns: number): Line => {
  const [first, ...rest] = spans;
  return chosen && first ? inverse([{ ...first, text: `>${first.text.slice(1)}` }, ...rest], columns) : spans;
};

const count = (value: number | undefined, cells: number): string =>
  pad(value === undefined ? UNKNOWN : whole(value), cells, 'right');
const cost = (value: number | undefined, cells: number): string =>
  pad(value === undefined ? UNKNOWN : dollars(value), cells, 'right');

/** Whole numbers only: one that is cut is another number. The names after them may be cut. */
function fitting(numbers: readonly string[], names: string, columns: number): string {
  let text = '';
  for (const number of numbers) {
    if (BEFORE_NUMBERS + text.length + number.length > columns) return text;
    text += number;
  }
  return BEFORE_NUMBERS + text.length + NAMES < columns ? `${text}${names}` : text;
}
const BEFORE_NUMBERS = 40;
const NAMES = '  agents'.length;

function runLine(run: HistoryRun, { now, size }: View): Line {
  const { sign, colour } = lookOf(run);
  const numbers = [count(run.landed, 6), count(run.notLanded, 5), count(run.iterations, 7)];
  return line(
    `   ${pad(dayClock(run.startedAt, now), 12)}  ${pad(ran(run, now), 6)}  `,
    coloured(pad(`${sign} ${run.outcome}`, 15), colour),
    fitting([...numbers, pad(moneyText(run), 9, 'right')], `  ${run.agents.map(clean).join(', ')}`, size.columns),
  );
}

const stateWord = (state: HistoryIdea['state']): Line => {
  const { sign, colour } = LOOKS[state];
  return line(' ', coloured(sign, colour));
};

/** `: 8 ready, 1 after`: what no line names, because nobody has to look at it. */
export const restText = ({ rest = {} }: HistoryRun): string => {
  const parts = Object.entries(rest).map(([state, number]) => `${whole(number)} ${state}`);
  return parts.length > 0 ? `: ${parts.join(', ')}` : '';
};

/** The ideas that did not land, and the slowest ones. */
function below(run: HistoryRun, { now, size, theme }: View): Line[] {
  const enter = theme.ascii ? 'Enter' : '↵';
  const day = dayClock(run.startedAt, now);
  const title = `${day}: ${run.landed === undefined ? UNKNOWN : whole(run.landed)} landed, ${run.notLanded === undefined ? UNKNOWN : whole(run.notLanded)} not`;
  const lines: Line[] = [rule(title, `${enter} the whole report`, size.columns)];
  const shown = upToMore(6, run.open ?? [], run.notLanded);
  // The state, the time and some of the reason stay.
  const ids = idCells(shown, 10, size.columns, 51);
  const reason = Math.max(10, size.columns - 31 - ids);
  for (const one of shown)
    lines.push(
      line(
        ...stateWord(one.state),
        ` ${padId(one.id, ids)} ${pad(one.state, 9)} ${pad(clean(one.reason), reason)}  ${cut(clean(one.since), 14)}`,
      ),
    );
  const more = (run.notLanded ?? 0) - shown.length;
  if (more > 0) lines.push(line(dim(` … ${more} more${restText(run)}`)));
  const longest = [...(run.done ?? [])].sort((a, b) => b.ms - a.ms).slice(0, 3);
  if (longest.length > 0)
    lines.push(
      rule('what took longest to land', '', size.columns),
      line(
        ` ${longest.map(({ id, ms, iterations }, index) => `${id}  ${lasted(ms)}, ${index === 0 ? many(iterations, 'iteration') : iterations}`).join('  ·  ')}`,
      ),
    );
  return lines;
}

function wide(view: View, runs: readonly HistoryRun[], at: number): Line[] {
  const { size, now, ui, model } = view;
  const height = size.rows - 1 - 4;
  const left = Math.floor(size.columns * 0.466);
  const first = windowAt(at, runs.length, height - 3, ui.scroll.history);
  const list = [
    line(dim(`   ${pad('begun', 11)}  ${pad('took', 6)} ${pad('outcome', 14)}land  not   cost`)),
    ...runs.slice(first, first + height - 3).map((run, index) => {
      const { sign, colour } = lookOf(run);
      const spans = line(
        `   ${pad(dayClock(run.startedAt, now), 11)}  ${pad(ran(run, now), 6)} `,
        coloured(pad(`${sign} ${run.outcome}`, 14), colour),
        `${count(run.landed, 4)}${count(run.notLanded, 5)}${pad(moneyText(run), 7, 'right')}`,
      );
      return marked(spans, first + index === at, left - 2);
    }),
  ];
  const run = runs[at];
  const month = monthText(view);
  const rightParts = run ? runParts(run, view, size.columns - left - 2) : [];
  const title = edges(line(bold(clean(model.name)), ...leftOut(view)), line(dim('5 of 5')), size.columns);
  return [
    title,
    ...beside(
      box([{ title: many(runs.length, 'run'), right: month, lines: list }], left, height),
      box(rightParts.length > 0 ? rightParts : [{ title: '', lines: [] }], size.columns - left, height),
      left,
    ),
  ];
}

function runParts(run: HistoryRun, { now, ui, model }: View, columns: number): Part[] {
  const end = run.endedAt === undefined ? '' : ` to ${clock(run.endedAt, run.endedAt)}`;
  const sums = [
    `${run.landed === undefined ? UNKNOWN : whole(run.landed)} landed, ${run.notLanded === undefined ? UNKNOWN : whole(run.notLanded)} not`,
    run.iterations === undefined ? '' : many(run.iterations, 'iteration'),
    run.dollars === undefined ? '' : moneyText(run),
    run.agents.map(clean).join(', '),
  ].filter((one) => one !== '');
  const about = [line(` ${sums.join(' · ')}`)];
  if (run.target)
    about.push(
      line(
        ` ${clean(model.target)} ${clean(run.target.from).slice(0, 8)} → ${clean(run.target.to).slice(0, 8)}${run.target.green === undefined ? '' : run.target.green ? ', green' : ', red'}`,
      ),
    );
  const parts: Part[] = [{ title: `${dayClock(run.startedAt, now)}${end}`, right: run.outcome, lines: about }];
  const open = upToMore(MOST_OPEN, run.open ?? [], run.notLanded);
  if (open.length > 0) {
    const { notLanded = open.length } = run;
    const left = notLanded - open.length;
    const ids = idCells(open, 10, columns, 40);
    parts.push({
      title: `not landed ${notLanded}`,
      lines: [
        ...open.map((one) =>
          line(
            ...stateWord(one.state),
            ` ${padId(one.id, ids)} ${pad(one.state, 9)} ${pad(clean(one.reason), Math.max(8, columns - 28 - ids))}  ${cut(clean(one.since), 12)}`,
          ),
        ),
        ...(left > 0 ? [line(dim(` … ${left} more${restText(run)}`))] : []),
      ],
    });
  }
  const done = run.done ?? [];
  if (done.length > 0) {
    const shown = ui.hideLanded ? [] : upToMore(10, done);
    const ids = idCells(shown, 12, columns, 41);
    parts.push({
      title: `landed ${done.length}`,
      right: ui.hideLanded ? 'z show' : 'z hide',
      lines: [
        ...shown.map((one) =>
          line(
            ' ',
            coloured('✓', 'green'),
            ` ${padId(one.id, ids)}${pad(`${one.iterations} iter`, 8, 'right')}${pad(lasted(one.ms), 8, 'right')}${cost(one.dollars, 8)}${one.added === undefined ? '' : `${pad(`+${one.added}`, 8, 'right')}${pad(`-${one.deleted ?? 0}`, 6, 'right')}`}`,
          ),
        ),
        ...(done.length > shown.length && shown.length > 0 ? [line(dim(` … ${done.length - shown.length} more`))] : []),
      ],
    });
  }
  const look = run.look ?? [];
  if (look.length > 0)
    parts.push({
      title: 'worth a look',
      lines: look.map(({ what, text }) => line(` ${pad(clean(what), 8)}${clean(text)}`)),
    });
  return parts;
}
