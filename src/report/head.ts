/** The sentences at the head of a report, in every form of it. Pure. */
import { outcomeWords } from '../screen/outcome-words.js';
import { many, moneyText, whole } from '../screen/text/numbers.js';
import { clean } from '../screen/text/text.js';
import { clock, ran } from '../screen/text/time.js';
import type { Report } from './schema.js';

/** The command that prints this report. */
export const reportCommand = ({ run }: Report): string => `ralphctl report${run.older ? ` --run ${run.runId}` : ''}`;

/** `stopped: going to bed`; undefined where the state says nothing that the rest of the report does not. */
export const stateText = ({ state, why }: Report['run']): string | undefined =>
  state === 'completed' || state === 'running' ? undefined : `${state}${why ? `: ${clean(why)}` : ''}`;

const NIGHT_FROM = 17;
const day = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }).format(at).replace(',', '');

/** How long the run took, in every form of its report. */
export const ranText = ({ startedAt, endedAt, ms }: Pick<Report['run'], 'startedAt' | 'endedAt' | 'ms'>): string =>
  startedAt === undefined || ms === undefined ? '' : ran({ startedAt, endedAt }, startedAt + ms);

/** `the night of Tue 21 Nov, 22:03 to 05:54 (7h51m)` */
export function whenText(run: Report['run']): string {
  const { startedAt, endedAt, state, over } = run;
  if (startedAt === undefined) return state;
  const overNight =
    endedAt !== undefined && new Date(startedAt).getHours() >= NIGHT_FROM && day(endedAt) !== day(startedAt);
  const from = `${day(startedAt)}, ${clock(startedAt, startedAt)}`;
  const to = over && endedAt !== undefined ? ` to ${clock(endedAt, startedAt)}` : ' until now';
  return `the ${overNight ? 'night' : 'run'} of ${from}${to}${ranText(run) && ` (${ranText(run)})`}`;
}

export function totals({ counts, run }: Report): string[] {
  const cost = counts.dollars === undefined ? [] : [moneyText(counts)];
  const tokens = counts.dollars === undefined && counts.tokens !== undefined ? [`${whole(counts.tokens)} tokens`] : [];
  return [
    ...outcomeWords(
      {
        landed: counts.landed + counts.landedBefore,
        landedBefore: counts.landedBefore,
        gone: counts.gone ?? 0,
        open: counts.open,
        leftOut: counts.leftOut ?? 0,
      },
      run.target,
    ),
    many(counts.iterations, 'iteration'),
    ...cost,
    ...tokens,
    ...(counts.conflicts > 0 ? [`${many(counts.conflicts, 'conflict')} on landing`] : []),
  ];
}

export function targetText({ run, target, counts }: Report): string | undefined {
  if (!target) return undefined;
  const tests = target.tests ? ` ${target.tests.passed}/${target.tests.total}` : '';
  const gate = target.command ? `${clean(target.command)}${tests}` : '';
  const at = target.at === undefined ? '' : clock(target.at, run.startedAt ?? target.at);
  const beside = [gate, at].filter(Boolean).join(', ');
  const past = counts.gone !== undefined || target.now !== undefined || target.missing === true;
  const is = past ? 'was' : 'is';
  const colour = target.green === undefined ? (past ? 'stood' : 'stands') : `${is} ${target.green ? 'green' : 'red'}`;
  const ungated = target.noGate ? ', landed without a gate' : '';
  const did = target.noGate ? 'land' : 'gate';
  // What newer runs have done is no news.
  const other = run.older ? '' : `, which this run did not ${did}`;
  const now = target.now === undefined ? '' : `; it is at ${target.now.slice(0, 7)} now${other}`;
  const none = target.missing ? '; that branch does not exist any more' : '';
  return `${run.target} ${colour} at ${target.to.slice(0, 7)}${beside ? ` (${beside})` : ''}${ungated}${now}${none}`;
}

export const notReported = ({ counts: { unknownDollars, dollars: known } }: Report): string =>
  known === undefined
    ? 'the agents did not report their cost'
    : `${many(unknownDollars, 'agent run')} did not report the cost`;
