/** Waves and rejected reports in words (E1, E3). Invariant: foreign text passes through the cleaner. Pure. */
import type { StampedEvent } from '../../protocol/events.js';
import type { WaveSummary } from '../../protocol/waves.js';
import { type Line, line } from '../text/line.js';
import { many, dollars as money } from '../text/numbers.js';
import type { Cleaner } from './signal-words.js';
import { gateText } from './state-words.js';

type Wave = Extract<StampedEvent, { kind: 'wave' }>;

/** `3 of 5 passed, 1 failed, 1 skipped, 12m04s, $0.41` */
export function waveText(
  { attempted, passed, failed, skipped, waiting, ms, dollars }: Omit<WaveSummary, 'wave'>,
  time: (ms: number) => string,
): string {
  return [
    `${passed} of ${attempted} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
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
  switch (state) {
    case 'began':
      return `of ${of} begins: ${taken.map(({ idea, tier }) => `${clean(idea)} (${tier})`).join(', ')}; ${seen}`;
    case 'empty':
      return `of ${of} finds nothing to work on: ${seen}`;
    case 'waits':
      return `of ${of} waits: the source cannot be read: ${clean(why)}`;
    case 'ended':
      return `of ${of} is over: ${waveText(summaryOf(event), time)}`;
    case 'over':
      return `no further wave: ${clean(why)}`;
  }
}

function summaryOf(event: Wave): WaveSummary {
  const { wave, attempted = 0, passed = 0, failed = 0, skipped = 0, waiting = 0, ms = 0, dollars = 0 } = event;
  return { wave, attempted, passed, failed, skipped, waiting, ms, dollars };
}

/** The report is the subject. */
export function rejectedWords(
  { gate, reason, quote }: Extract<StampedEvent, { kind: 'rejected' }>,
  clean: Cleaner,
): Line {
  return line(
    `is rejected by ${gateText(gate)}: ${clean(reason)}`,
    quote === '' ? '' : { text: ` "${clean(quote, 80)}"`, dim: true },
  );
}
