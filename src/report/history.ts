/** The runs of a project as a list: each line comes from a report or a summary. Pure. */

import { type Outcome, outcomeOfSummary, sinceText } from '../model/at-end.js';
import type { IdeaFacts, SummaryFile } from '../model/facts.js';
import type { Renamed } from '../model/model.js';
import { upToMore } from '../protocol/up-to-more.js';
import type { HistoryIdea, HistoryLanded, HistoryRun } from '../screen/details.js';
import { restText } from '../screen/pages/history.js';
import { dollars, many, moneyText, UNKNOWN, whole } from '../screen/text/numbers.js';
import { width as cells, clean, cut, pad } from '../screen/text/text.js';
import { LOOKS } from '../screen/text/theme.js';
import { clock, ran } from '../screen/text/time.js';
import { withFewAnswers } from './answers.js';
import { fixSentence, lostText } from './gone-text.js';
import { reportCommand } from './head.js';
import { nth } from './open.js';
import type { OpenIdea, Report } from './schema.js';
import { beside } from './text.js';
import { moneyOf } from './work.js';

const OUTCOMES: Readonly<Record<string, HistoryRun['outcome']>> = {
  completed: 'completed',
  stopped: 'stopped',
  aborted: 'aborted',
  terminated: 'terminated',
  paused: 'paused',
  pausing: 'paused',
  waiting_user: 'waits for you',
  'waits for you': 'waits for you',
};

export const outcomeOf = (state: string): HistoryRun['outcome'] => OUTCOMES[state] ?? 'running';

const SHOWN = new Set<OpenIdea['state']>(['asks', 'blocked', 'timed out', 'failed', 'stopped']);

export function historyRun(report: Report, agents: readonly string[]): HistoryRun {
  const { run, counts, landed, open, target, look, waves, since } = report;
  return {
    runId: run.runId,
    startedAt: run.startedAt ?? 0,
    ...(run.endedAt === undefined ? {} : { endedAt: run.endedAt }),
    outcome: outcomeOf(run.state),
    landed: counts.landed,
    notLanded: counts.open,
    ...(counts.leftOut ? { leftOut: counts.leftOut } : {}),
    ...(since ? { since } : {}),
    iterations: counts.iterations,
    ...spentIn(counts),
    agents: run.agents.length > 0 ? run.agents : [...agents],
    ...(target?.from
      ? {
          target: {
            from: target.from,
            to: target.to,
            ...(target.green === undefined || (target.now && !run.older) || target.missing
              ? {}
              : { green: target.green }),
          },
        }
      : {}),
    open: open.flatMap((one) => (SHOWN.has(one.state) ? [historyIdea(one)] : [])),
    ...restIn(open),
    done: landed
      .map(({ idea, iterations, agentMs = 0, dollars: cost, lines }) => ({
        ...{ id: idea, iterations, ms: agentMs },
        ...(cost === undefined ? {} : { dollars: cost }),
        ...(lines ?? {}),
      }))
      .sort((a, b) => b.ms - a.ms),
    look: withFewAnswers(look, `${reportCommand(report)} --all`).map(({ kind, text }) => ({ what: kind, text })),
    ...(waves ? { waves: waves.flatMap(({ wave, summary }) => (summary ? [{ wave, ...summary }] : [])) } : {}),
  };
}

function restIn(open: readonly OpenIdea[]): Pick<HistoryRun, 'rest'> {
  const rest: Record<string, number> = {};
  for (const { state } of open) if (!SHOWN.has(state)) rest[state] = (rest[state] ?? 0) + 1;
  return Object.keys(rest).length > 0 ? { rest } : {};
}

const historyIdea = ({ idea, state, reason, later, queued, answered, times = 1 }: OpenIdea): HistoryIdea => ({
  id: idea,
  state: state as HistoryIdea['state'],
  reason: reason ?? '',
  since: later ?? (queued ? 'queued' : answered ? 'answered' : times > 1 ? `${nth(times)} time` : 'not yet'),
});

/** A line from a summary alone. */
export function historyOfSummary(
  { runId, startedAt: begun, endedAt: last, agents }: Pick<HistoryRun, 'runId' | 'startedAt' | 'endedAt' | 'agents'>,
  summary: SummaryFile | undefined,
  cost: number | undefined,
): HistoryRun {
  // As the report of the run has them, whose events nobody reads here.
  const { startedAt = begun, since: endedAt = last } = summary?.run ?? {};
  return {
    ...{ runId, startedAt, agents, outcome: summary ? outcomeOf(summary.outcome) : 'terminated' },
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(summary
      ? {
          ...numbersOf(outcomeOfSummary(summary)),
          iterations: summary.status.statistics.iterations.total,
          ...(summary.ideas ? { done: doneOf(summary) } : {}),
          ...(summary.status.waves ? { waves: summary.status.waves.done } : {}),
        }
      : {}),
    ...(summary?.run
      ? spentIn({ ...moneyOf(summary.run.spent), unknownTokens: summary.run.spent.unknownTokens })
      : cost === undefined
        ? {}
        : { dollars: cost }),
  };
}

type SpentIn = Pick<HistoryRun, 'dollars' | 'unknownDollars' | 'tokens' | 'unknownTokens'>;

const spentIn = ({ dollars: cost, unknownDollars, tokens, unknownTokens }: SpentIn): SpentIn => ({
  ...(cost === undefined ? {} : { dollars: cost }),
  ...(unknownDollars === undefined ? {} : { unknownDollars }),
  ...(tokens === undefined ? {} : { tokens }),
  ...(unknownTokens === undefined ? {} : { unknownTokens }),
});

function doneOf({ ideas = [], landings = [] }: SummaryFile): HistoryLanded[] {
  const lines = new Map(landings.map((one) => [one.idea, one]));
  return ideas.flatMap(({ idea, status, commit, spent }: IdeaFacts) => {
    if (status !== 'landed' || !commit) return [];
    const { added, deleted } = lines.get(idea) ?? {};
    const changed = added === undefined || deleted === undefined ? {} : { added, deleted };
    return [{ id: idea, iterations: spent.iterations, ms: spent.ms, ...changed }];
  });
}

/** A line of History has what this run itself landed. */
const numbersOf = ({ landed, landedBefore, open, leftOut }: Outcome) => ({
  ...{ landed: landed - landedBefore, notLanded: open },
  ...(leftOut > 0 ? { leftOut } : {}),
});

const SIGNS: Readonly<Record<HistoryRun['outcome'], string>> = {
  running: '▸',
  'no server': '!',
  'no worker': '!',
  'waits for you': '?',
  paused: '◫',
  completed: '✓',
  stopped: '◫',
  aborted: '✗',
  terminated: '!',
};

const HEADS = ['begun', 'took', 'outcome', 'landed', 'not', 'iter.', 'cost', 'run', 'agents'] as const;
const LEFT = new Set(['begun', 'outcome', 'run', 'agents']);
/** Columns that give way to the id of the run, which people copy: the first one first. */
const GIVE_WAY: readonly (typeof HEADS)[number][] = ['iter.', 'cost', 'took', 'not', 'landed', 'outcome', 'begun'];

export interface Runs {
  name: string;
  target?: string;
  renamed?: Renamed;
  runs: readonly HistoryRun[];
  monthLanded?: number;
  monthDollars?: number;
}

/** Cells for less of the agents than this say nothing. */
const LEAST_AGENTS = 7;

/** The list as plain lines. On a narrow terminal the agents are cut first, and then columns before the id go. */
export function runsText(
  { name, runs, target, renamed, monthLanded, monthDollars }: Runs,
  now: number,
  width?: number,
): string[] {
  const today = new Date(now).toDateString();
  const rows = runs.map((run) => {
    const begun = clock(run.startedAt, now);
    const text = (value: number | undefined): string => (value === undefined ? UNKNOWN : whole(value));
    return [
      new Date(run.startedAt).toDateString() === today
        ? `today ${begun}`
        : begun.includes(' ')
          ? begun
          : `${weekday(run.startedAt)} ${begun}`,
      ran(run, now),
      `${SIGNS[run.outcome]} ${run.outcome}${run.waves?.length ? `, ${many(run.waves.length, 'wave')}` : ''}${landedOn(run)}`,
      text(run.landed),
      text(run.notLanded),
      text(run.iterations),
      moneyText(run),
      run.runId,
      run.agents.map(clean).join(', '),
    ];
  });
  const widths = HEADS.map((head, at) => rows.reduce((most, row) => Math.max(most, cells(row[at] ?? '')), head.length));
  const hidden = hiddenIn(widths, width);
  const line = (values: readonly string[]): string => {
    const all = values.flatMap((value, at) =>
      hidden.has(HEADS[at] ?? '') ? [] : [pad(value, widths[at] ?? 0, LEFT.has(HEADS[at] ?? '') ? 'left' : 'right')],
    );
    const whole = all.join('  ').trimEnd();
    return width === undefined ? whole : cut(whole, width);
  };
  const month =
    monthLanded === undefined
      ? ''
      : `this month ${whole(monthLanded)} landed${monthDollars === undefined ? '' : `, ${dollars(monthDollars)}`}`;
  return [
    `${clean(name)}   ${many(runs.length, 'run')}${month ? `   ${month}` : ''}`,
    line(HEADS),
    ...rows.map(line),
    ...sinceLines(runs, width),
    ...(renamed ? ['', ...beside('  ! ', [clean(`${renamed.text}. ${renamed.fix}`)], width ?? WIDE)] : []),
    ...goneLines({ name, runs, ...(target ? { target } : {}) }, width),
    ...lastOpen(runs, now, width),
  ];
}

/** Columns without which the id of the run is whole. */
function hiddenIn(widths: readonly number[], width: number | undefined): ReadonlySet<string> {
  const hidden = new Set<string>(width === undefined ? [] : GIVE_WAY);
  const sizeOf = (head: (typeof HEADS)[number]): number => (widths[HEADS.indexOf(head)] ?? 0) + 2;
  let room = (width ?? Number.MAX_SAFE_INTEGER) - sizeOf('run') + 2;
  for (const head of GIVE_WAY.toReversed()) {
    if (room < sizeOf(head)) break;
    room -= sizeOf(head);
    hidden.delete(head);
  }
  if (room < LEAST_AGENTS && room < sizeOf('agents')) hidden.add('agents');
  return hidden;
}

const landedOn = ({ landed = 0, on }: HistoryRun): string =>
  on === undefined ? '' : `, ${landed > 0 ? 'landed' : 'to land'} on ${clean(on)}`;

const weekday = (at: number): string => new Intl.DateTimeFormat('en-GB', { weekday: 'short' }).format(at);

const MOST_GONE = 5;

/** The lists above count what each run did; this is what people did since the newest one. */
function sinceLines([newest]: readonly HistoryRun[], width: number | undefined): string[] {
  const since = sinceText(newest?.since ?? []);
  return since ? ['', ...beside('', [clean(since)], width ?? WIDE)] : [];
}

/** Landed ideas that are no longer on the target, each with the command that runs it again where nobody has decided. */
function goneLines({ runs, target = 'the target' }: Runs, width: number | undefined): string[] {
  const gone = runs.flatMap((run) => run.gone ?? []);
  if (gone.length === 0) return [];
  const lost = gone.filter(({ noBranch }) => noBranch);
  const texts = [
    ...lost.slice(0, 1).map(
      (one) =>
        `${lostText(
          target,
          lost.map(({ id }) => id),
        )}. ${fixSentence(one)}`,
    ),
    ...gone.flatMap((one) => (one.noBranch ? [] : [one.decided ? one.text : `${one.text}. ${fixSentence(one)}`])),
  ];
  const shown = upToMore(MOST_GONE, texts);
  const rows = shown.flatMap((text) => beside('  ! ', [clean(text)], width ?? WIDE));
  const more = texts.length > shown.length ? [`  … ${texts.length - shown.length} more`] : [];
  return ['', 'no longer on the target', ...rows, ...more];
}

const WIDE = Number.MAX_SAFE_INTEGER;

/** The open ideas of the newest run that has ended. */
function lastOpen(runs: readonly HistoryRun[], now: number, width: number | undefined): string[] {
  const run = runs.find(({ endedAt }) => endedAt !== undefined);
  if (!run?.open?.length) return [];
  const ids = run.open.reduce((most, { id }) => Math.max(most, cells(id)), 12);
  const rows = upToMore(10, run.open, run.notLanded).map(({ id, state, reason, since }) => {
    const start = `  ${LOOKS[state].sign} ${pad(id, ids)}  ${pad(state, 9)}  `;
    const end = `  ${since}`;
    const why = clean(reason.split('\n')[0] ?? '');
    const room = width === undefined ? cells(why) : Math.max(8, width - cells(start) - cells(end));
    const row = `${start}${pad(why, Math.min(room, Math.max(cells(why), width === undefined ? 0 : room)))}${end}`;
    return width === undefined ? row : cut(row, width);
  });
  const left = (run.notLanded ?? run.open.length) - rows.length;
  const more = left > 0 ? [`  … ${left} more${restText(run)}`] : [];
  const title = `${clock(run.startedAt, now)}: ${run.landed ?? UNKNOWN} landed, ${run.notLanded ?? UNKNOWN} not`;
  const command = `ralphctl report --run ${run.runId}`;
  const both = `${title}     ${command}`;
  // A command is whole.
  const head = width === undefined || cells(both) <= width ? [both] : [cut(title, width), `  ${command}`];
  return ['', ...head, ...rows, ...more];
}
