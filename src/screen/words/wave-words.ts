/** Waves and rejected reports in words (E1, E3). Invariant: foreign text passes through the cleaner. Pure. */
import type { StampedEvent } from '../../protocol/events.js';
import type { UnknownRuns, WaveReading, WaveSummary } from '../../protocol/waves.js';
import { type Line, line } from '../text/line.js';
import { many, dollars as money } from '../text/numbers.js';
import type { Cleaner } from './signal-words.js';
import { gateText } from './state-words.js';

/** A path and a cause stay whole. */
const LONGEST = 1000;

type Wave = Extract<StampedEvent, { kind: 'wave' }>;

/** `3 of 5 passed, 1 failed, 1 skipped, 12m04s, $0.41` */
export function waveText(
  { attempted, passed, failed, skipped, elsewhere = 0, waiting, ms, dollars }: Omit<WaveSummary, 'wave'>,
  time: (ms: number) => string,
): string {
  return [
    `${passed} of ${attempted} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped${elsewhere > 0 ? ` (${elsewhere} claimed elsewhere)` : ''}`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    time(ms),
    ...(dollars > 0 ? [money(dollars)] : []),
  ].join(', ');
}

/** `wave 2` is the subject. */
export function waveWords(event: Wave, clean: Cleaner, time: (ms: number) => string): string {
  const { of, state, taken = [], open = 0, left = 0, rejected = 0, leftOut = 0, why = '' } = event;
  const seen = [
    many(open, 'open report'),
    `${rejected} rejected`,
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
    ...(left > 0 ? [`${left} for later`] : []),
  ].join(', ');
  const read = event.read ? readWords(event.read, clean, time) : '';
  const unknown = event.unknownRuns ? unknownWords(event.unknownRuns, clean) : '';
  switch (state) {
    case 'began':
      return `of ${of} begins: ${taken.map(({ idea, tier }) => `${clean(idea)} (${tier})`).join(', ')}; ${seen}${read}${unknown}`;
    case 'empty':
      return `of ${of} finds nothing to work on: ${seen}${read}${unknown}`;
    case 'waits':
      return `of ${of} waits: the source cannot be read: ${clean(why)}`;
    case 'ended':
      return `of ${of} is over: ${waveText(summaryOf(event), time)}`;
    case 'over':
      return `no further wave: ${clean(why)}`;
  }
}

/** `; claude read 12 reports (40s, $0.21), rules judged 3 because …` */
function readWords({ agent, reports, byRules, why, spent }: WaveReading, clean: Cleaner, time: (ms: number) => string) {
  const cost = [...(spent.ms > 0 ? [time(spent.ms)] : []), ...(spent.dollars > 0 ? [money(spent.dollars)] : [])];
  const used = cost.length === 0 ? '' : ` (${cost.join(', ')})`;
  const rules = byRules === 0 ? '' : `, rules judged ${byRules}${why === undefined ? '' : ` because: ${clean(why)}`}`;
  return `; ${clean(agent)} read ${many(reports, 'report')}${used}${rules}`;
}

const unknownWords = ({ why, more }: UnknownRuns, clean: Cleaner): string =>
  `; ${clean(why, LONGEST)}${more === 0 ? '' : ` (and of ${many(more, 'more run')})`}`;

function summaryOf(event: Wave): WaveSummary {
  const { wave, attempted = 0, passed = 0, failed = 0, skipped = 0, waiting = 0, ms = 0, dollars = 0 } = event;
  const apart = event.elsewhere === undefined ? {} : { elsewhere: event.elsewhere };
  return { wave, attempted, passed, failed, skipped, ...apart, waiting, ms, dollars };
}

/** The report is the subject. */
export function rejectedWords(
  { gate, reason, quote, judgedBy }: Extract<StampedEvent, { kind: 'rejected' }>,
  clean: Cleaner,
): Line {
  return line(
    `is rejected by ${gateText(gate)}${judgedBy === undefined ? '' : `, read by ${clean(judgedBy)}`}: ${clean(reason)}`,
    quote === '' ? '' : { text: ` "${clean(quote, 80)}"`, dim: true },
  );
}
