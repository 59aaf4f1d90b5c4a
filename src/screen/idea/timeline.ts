/** The timeline of an idea: its iterations, and the moments between them (G2). Invariant: the newest stands last. */
import type { GateRun, IdeaModel, Iteration, Moment } from '../../model/model.js';
import { agentMs, agentsMs, gateMs, iterationCount } from '../../model/tally.js';
import { coloured, dim, inverse, type Line, line, lineWidth } from '../text/line.js';
import { many, UNKNOWN } from '../text/numbers.js';
import { clean, cut, pad, width, wrap } from '../text/text.js';
import { bar, LOOKS, SIGNALS, shownOf } from '../text/theme.js';
import { clock, clockCells, duration, lasted } from '../text/time.js';
import type { Selection } from '../ui.js';
import { type View, windowAt } from '../view.js';
import { rungWords } from '../words/event-words.js';
import { gateWord } from '../words/gate-words.js';
import { claim } from '../words/signal-words.js';
import { commitsOf, costNow, loading, toldOf } from './told.js';

/** `limit`: the limit for which another agent took over. */
type Entry = { at: number } & (
  | { run: Iteration; percent: number; known: boolean }
  | { moment: Moment; limit?: Moment }
);

const MOMENTS: Readonly<Record<Moment['kind'], { sign: string; colour: 'yellow' | 'cyan' | 'blue' | 'gray' }>> = {
  limit: { sign: '◷', colour: 'yellow' },
  agent: { sign: '⇄', colour: 'blue' },
  said: { sign: '›', colour: 'cyan' },
  bounced: { sign: '↺', colour: 'yellow' },
  escalated: { sign: '!', colour: 'yellow' },
  held: { sign: '◷', colour: 'yellow' },
  step: { sign: '·', colour: 'gray' },
  warning: { sign: '!', colour: 'yellow' },
  refused: { sign: '!', colour: 'yellow' },
  reverted: { sign: '⊖', colour: 'yellow' },
  paused: { sign: '◫', colour: 'gray' },
};

function momentText({ kind, text }: Moment): string {
  const plain = clean(text);
  switch (kind) {
    case 'agent':
      return `continues with ${plain.replace(' instead of ', ', not ')}`;
    case 'said':
      return `you said: ${plain.replace(/^(?:hint|answer): /, '')}`;
    case 'bounced':
      return `does not land: ${plain}`;
    case 'escalated':
      return `no progress: ${rungWords(plain)}`;
    case 'refused':
      return `refused: ${plain}`;
    default:
      return plain;
  }
}

/** Iterations, each with the percentage after it, and moments, in order of time. */
function entries(idea: IdeaModel): Entry[] {
  let percent = 0;
  let partly = 0;
  const runs = idea.iterations.map((run): Entry => {
    const said = run.signal;
    const known =
      said?.kind === 'progress' ||
      (said?.kind === 'complete' && run.turnedDown === undefined && run.gate?.pass !== false);
    if (said?.kind === 'progress') percent = said.percent;
    else if (known) percent = 100;
    // What refutes a COMPLETE leaves what the agent had said before.
    else if (run.outcome === 'failed' || run.outcome === 'timeout' || run.gate?.pass === false)
      percent = Math.min(percent, partly);
    if (percent < 100) partly = percent;
    return { at: run.startedAt, run, percent, known };
  });
  const moments = idea.moments.map((moment): Entry => ({ at: moment.at, moment }));
  return joined([...runs, ...moments].sort((a, b) => a.at - b.at));
}

/** A limit and the agent that takes over are one moment. */
function joined(all: readonly Entry[]): Entry[] {
  const out: Entry[] = [];
  for (const entry of all) {
    const last = out.at(-1);
    const isNext =
      last && 'moment' in last && last.moment.kind === 'limit' && 'moment' in entry && entry.moment.kind === 'agent';
    if (isNext && last.moment.before === entry.moment.before)
      out.splice(-1, 1, { at: last.at, moment: entry.moment, limit: last.moment });
    else out.push(entry);
  }
  return out;
}

/** The agent run that the page shows. */
export const chosenRun = (idea: IdeaModel, serial: number | undefined): Iteration | undefined =>
  idea.iterations.find((run) => run.serial === serial) ?? idea.iterations.at(-1);

/** The run that the keys chose on the timeline, else the shown run. */
const markedRun = (view: View, idea: IdeaModel): Iteration | undefined =>
  idea.iterations.find(({ serial }) => `${serial}` === view.ui.selected.idea?.id) ?? chosenRun(idea, view.ui.serial);

export const timelinePlaces = (idea: IdeaModel): Selection[] =>
  idea.iterations.map(({ serial }) => ({ id: `${serial}` }));

export function timelineSelected(view: View, idea: IdeaModel): Selection | undefined {
  const run = markedRun(view, idea);
  return run && { id: `${run.serial}` };
}

/** Says why the timeline is empty. */
export const notYet = ({ landedBefore, ticked, off }: IdeaModel): string => {
  // No run here need have landed it.
  if (landedBefore && ticked) return 'the backlog had it ticked before this run';
  return landedBefore || off ? 'it landed before this run' : 'it has not started';
};

/** The files of earlier runs tell whether one of them landed it. A page that is printed has all that there is. */
export const isLoading = (view: View, idea: IdeaModel): boolean =>
  idea.landedBefore && !idea.onlyTicked && !view.whole && toldOf(view, idea) === undefined;

/** With what an earlier run knows. */
export function notYetLines(view: View, idea: IdeaModel, columns: number): Line[] {
  const told = toldOf(view, idea);
  if (isLoading(view, idea)) return [loading('the run that landed it')];
  const earlier = told?.earlier;
  const first = line(dim(` ${notYet(idea)}${earlier && !idea.landedBefore && !idea.off ? ' in this run' : ''}`));
  if (!earlier) return [first];
  const { runId, startedAt } = earlier;
  const then = earlier.idea.atEnd ?? earlier.idea;
  const state = shownOf(then, undefined);
  const { sign, colour } = LOOKS[state];
  const took = `${many(iterationCount(earlier.idea), 'iteration')}, ${lasted(earlier.idea.spent.ms)}`;
  const reason = clean(then.reason ?? '');
  return [
    first,
    line(),
    line(' ', coloured(sign, colour), ` ${clock(startedAt, view.now)}  ${state} after ${took}`),
    ...(reason === '' ? [] : wrap(reason, columns - 4).map((text) => line(`   ${text}`))),
    line(dim(`   ralphctl show ${idea.id} --run ${runId}`)),
  ];
}

export function timeline(view: View, idea: IdeaModel, columns: number, height: number): Line[] {
  const all = entries(idea);
  if (all.length === 0) return notYetLines(view, idea, columns);
  const chosen = view.ui.tab === 'timeline' ? markedRun(view, idea) : chosenRun(idea, view.ui.serial);
  const at = all.findIndex((entry) => 'run' in entry && entry.run === chosen);
  const room = Math.max(1, height - 2);
  const first = windowAt(at, all.length, room, view.ui.scroll['idea timeline'] ?? all.length);
  const narrow = columns < 70;
  const stamp = clockCells(
    all.slice(0, 1).map((entry) => entry.at),
    view.now,
  );
  const lines = all.slice(first, first + room).flatMap((entry) => {
    if ('moment' in entry) return momentLines(entry, view, columns, stamp);
    const spans = runLine(entry, idea, view, columns, stamp);
    return [entry.run === chosen ? mark(spans, columns, narrow) : spans];
  });
  return narrow ? [...lines, line(` ${shortSum(idea, view.now)}`)] : [...lines, line(), line(` ${sum(view, idea)}`)];
}

const mark = (spans: Line, columns: number, narrow: boolean): Line => {
  const [first, ...rest] = spans;
  if (!first) return spans;
  const text = narrow ? `>${first.text.slice(1)}` : first.text.replace(/^ {2}/, ' >');
  return inverse([{ ...first, text }, ...rest], columns);
};

const SIGNAL_CELLS = 15;

function runLine(
  { run, percent, known }: Extract<Entry, { run: Iteration }>,
  idea: IdeaModel,
  { now }: View,
  columns: number,
  stamp: number,
): Line {
  const narrow = columns < 70;
  const signal = signalOf(run, idea);
  const look = run.signal ? SIGNALS[run.signal.kind] : SIGNALS.progress;
  const ms = agentMs(run, now);
  const running = run.endedAt === undefined;
  const progress = coloured(bar(percent / 100, narrow ? 10 : 20), known ? 'blue' : 'gray');
  if (narrow)
    return line(
      ` ${pad(`#${run.serial}`, 3)}`,
      progress,
      `  ${pad(clock(run.startedAt, now), stamp)} ${pad((running ? duration : lasted)(ms), 4, 'right')}  `,
      running ? '← now' : coloured(`${signal}${run.gate && !run.gate.pass ? ', red' : ''}`, look.colour),
    );
  const start = line(
    `   ${pad(`#${run.serial}`, 4)}`,
    progress,
    `  ${pad(clock(run.startedAt, now), stamp)}  ${pad(`${(running ? duration : lasted)(ms)}${running ? ' ─' : ''}`, 7)}`,
  );
  if (width(signal) > SIGNAL_CELLS) {
    // A long signal takes the cells that the row has, and keeps only facts that exist beside it.
    const end = line(
      run.commits ? `  ${many(run.commits, 'commit')}` : '',
      ...(run.gate ? line('  ', ...gateWord(run.gate)) : []),
    );
    const room = columns - lineWidth(start) - lineWidth(end) - 1;
    return line(...start, coloured(cut(signal, Math.max(SIGNAL_CELLS, room)), look.colour), ...end);
  }
  return line(
    ...start,
    coloured(pad(signal, SIGNAL_CELLS), look.colour),
    ' ',
    pad(run.commits === undefined ? '' : many(run.commits, 'commit'), 11),
    running ? '← now' : gateCell(run.gate),
  );
}

function signalOf(run: Iteration, idea: IdeaModel): string {
  if (run.outcome === 'interrupted') return 'interrupted';
  if (run.outcome === 'timeout') return 'timed out';
  if (run.outcome === 'failed') return `failed: ${clean(run.message ?? '')}`;
  if (run.endedAt === undefined) return idea.gateNow ? 'gate' : 'works';
  if (!run.signal) return '(no signal)';
  const sign = run.signal.kind === 'progress' || run.signal.kind === 'none' ? '' : `${SIGNALS[run.signal.kind].sign} `;
  return `${sign}${claim({ signal: run.signal })}${run.turnedDown === undefined ? '' : ', turned down'}`;
}

const gateCell = (gate: GateRun | undefined): Line => {
  if (!gate) return line(dim(UNKNOWN));
  if (gate.none) return line(dim(gateWord(gate)));
  const tests = gate.tests ? `${gate.tests.passed}/${gate.tests.total}` : clean(gate.command ?? '');
  return line(coloured(gate.pass ? '✓' : '✗', gate.pass ? 'green' : 'red'), ` ${tests}`);
};

/** A narrow column has no room for reasons. Its time always stands. */
function momentLines(
  { moment, limit }: Extract<Entry, { moment: Moment }>,
  { now, wraps }: View,
  columns: number,
  stamp: number,
): Line[] {
  const { sign, colour } = MOMENTS[limit?.kind ?? moment.kind];
  const time = clock(limit?.at ?? moment.at, now);
  const { before, agent, kind, to } = moment;
  const until = to === undefined ? '' : ` until ${clock(to, now)}`;
  const what = limit ? `limit of ${clean(before ?? '')}` : undefined;
  if (columns < 70) {
    const short =
      agent === undefined
        ? momentText(moment)
        : `continues with ${clean(agent)}${before ? `, not ${clean(before)}` : ''}`;
    const end = what ? ` ${time}, then ${clean(agent ?? '')}` : ` ${time}${until}`;
    const cells = columns - 4;
    const rows = wraps ? wrap(`${what ?? short}${end}`, cells) : [`${cut(what ?? short, cells - width(end))}${end}`];
    return rows.map((row, at) => (at === 0 ? line('  ', coloured(sign, colour), ` ${row}`) : line(`    ${row}`)));
  }
  const took = limit
    ? lasted(moment.at - limit.at)
    : kind === 'paused'
      ? to === undefined
        ? `${duration(now - moment.at)} ─`
        : lasted(to - moment.at)
      : '';
  const text = what ? `${what}; continues with ${clean(agent ?? '')}` : `${momentText(moment)}${until}`;
  const lead = line('   ', coloured(sign, colour), `${' '.repeat(25)}${pad(time, stamp)}  ${pad(took, 7)}`);
  const cells = lineWidth(lead);
  const rows = wraps ? wrap(text, Math.max(20, columns - cells)) : [text];
  return rows.map((row, index) => (index === 0 ? line(...lead, row) : line(`${' '.repeat(cells)}${row}`)));
}

/** `5 iterations · 33m agent, 8m gate, 2m limit · 60 % · 4 commits · $0.41` */
function sum(view: View, idea: IdeaModel): string {
  const { now } = view;
  const gate = idea.iterations.reduce((total, run) => total + (run.gate?.durationMs ?? 0), gateMs(idea, now));
  const limited = entries(idea).reduce(
    (total, one) => ('moment' in one && one.limit ? total + one.moment.at - one.limit.at : total),
    0,
  );
  const beside = [gate > 0 ? `, ${lasted(gate)} gate` : '', limited > 0 ? `, ${lasted(limited)} limit` : ''];
  return [
    many(iterationCount(idea), 'iteration'),
    `${agentTime(idea, now)} agent${beside.join('')}`,
    idea.percent === undefined ? '' : `${idea.percent} %`,
    `${many(idea.commits, 'commit')}${commitsOf(view, idea) === idea.commits ? '' : ' in this run'}`,
    costNow(view, idea) === UNKNOWN ? '' : costNow(view, idea),
  ]
    .filter((one) => one !== '')
    .join(' · ');
}

/** A time that goes on is cut, as in the row of the agent run. */
const agentTime = (idea: IdeaModel, now: number): string =>
  (agentsMs(idea, now) > idea.spent.ms ? duration : lasted)(agentsMs(idea, now));

const shortSum = (idea: IdeaModel, now: number): string =>
  [many(iterationCount(idea), 'iteration'), agentTime(idea, now), idea.percent === undefined ? '' : `${idea.percent} %`]
    .filter((one) => one !== '')
    .join(' · ');
