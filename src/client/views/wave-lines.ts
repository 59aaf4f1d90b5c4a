/** Waves as lines. Text from outside has no terminal control characters. */
import type pc from 'picocolors';
import { took } from '../../decide/duration.js';
import type { StampedEvent } from '../../protocol/events.js';
import type { WaveSummary, WavesLine } from '../../protocol/waves.js';
import { clean, many } from './live-lines.js';
import { GATE_NAMES, gateNumber } from './triage-lines.js';

type Paint = ReturnType<typeof pc.createColors>;

/** `3 of 5 passed, 1 failed, 1 skipped, 12m 4s, $0.41` */
export function waveText({
  attempted,
  passed,
  failed,
  skipped,
  waiting,
  ms,
  dollars,
}: Omit<WaveSummary, 'wave'>): string {
  return [
    `${passed} of ${attempted} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    took(ms),
    ...(dollars > 0 ? [`$${dollars.toFixed(2)}`] : []),
  ].join(', ');
}

export function waveLine(event: Extract<StampedEvent, { kind: 'wave' }>, paint: Paint): string {
  const { wave, of, state, taken = [], open = 0, left = 0, rejected = 0, leftOut = 0 } = event;
  const name = `wave ${wave} of ${of}`;
  const seen = [
    many(open, 'open report'),
    `${rejected} rejected`,
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
    ...(left > 0 ? [`${left} for later`] : []),
  ].join(', ');
  switch (state) {
    case 'began':
      return `${paint.blue('≋')} ${paint.bold(name)}: ${taken.map((one) => `${one.idea} (${one.tier})`).join(', ')}; ${seen}`;
    case 'empty':
      return `${paint.dim('≋')} ${name} finds nothing to work on: ${seen}`;
    case 'waits':
      return `${paint.yellow('≋')} ${name} waits: the source cannot be read: ${clean(event.why ?? '')}`;
    case 'ended':
      return `${paint.blue('≋')} ${paint.bold(name)} is over: ${waveText(summaryOf(event))}`;
    case 'over':
      return `${paint.blue('≋')} no further wave: ${clean(event.why ?? '')}`;
  }
}

function summaryOf(event: Extract<StampedEvent, { kind: 'wave' }>): WaveSummary {
  const { wave, attempted = 0, passed = 0, failed = 0, skipped = 0, waiting = 0, ms = 0, dollars = 0 } = event;
  return { wave, attempted, passed, failed, skipped, waiting, ms, dollars };
}

export function rejectedLine(event: Extract<StampedEvent, { kind: 'rejected' }>, paint: Paint): string {
  const { report, gate, reason, quote } = event;
  const number = gateNumber(gate);
  const by = number === undefined ? GATE_NAMES[gate] : `gate ${number}, ${GATE_NAMES[gate]}`;
  const said = quote === '' ? '' : paint.dim(` "${clean(quote, 80)}"`);
  return `${paint.dim('⊘')} report ${clean(report, 60)} is rejected by ${by}: ${clean(reason)}${said}`;
}

/** For `status`. */
export function wavesLines({ wave, of, phase, batch, over, done, held, waits }: WavesLine): string[] {
  const between =
    waits === undefined
      ? 'is over'
      : `waits: its reports depend on ideas that are open (${waits}); it begins when one ends`;
  const now = {
    between: `wave ${wave} of ${of} ${held === undefined ? between : `waits: the source cannot be read: ${clean(held)}`}`,
    planning: `wave ${wave} of ${of} is being planned`,
    working: `wave ${wave} of ${of}: ${over} of ${many(batch, 'idea')} over`,
    over: `no further wave; ${many(done.length, 'wave')}`,
  }[phase];
  return [`waves: ${now}`, ...done.map((one) => `  wave ${one.wave}: ${waveText(one)}`)];
}
