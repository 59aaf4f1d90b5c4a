/** Folds the events of waves. A repeated event changes nothing. May import protocol and the files beside it only. */
import type { Usage } from '../protocol/agent-run.js';
import type { StampedEvent } from '../protocol/events.js';
import type { WaveReading, WaveSummary } from '../protocol/waves.js';
import type { RunModel, WaveModel } from './model.js';
import { addRun } from './tally.js';

/** Rejected reports that a model keeps. */
export const MOST_REJECTED = 10_000;

export function foldWave(model: RunModel, event: Extract<StampedEvent, { kind: 'wave' }>, at: number): void {
  const { wave, of, state } = event;
  const known: WaveModel = model.waves.get(wave) ?? { wave, of, taken: [] };
  switch (state) {
    case 'began':
    case 'empty':
      known.startedAt ??= at;
      known.taken = (event.taken ?? []).map(({ idea }) => idea);
      if (event.rejected !== undefined) known.rejected = event.rejected;
      if (event.left !== undefined) known.left = event.left;
      if (event.read && !known.read) {
        known.read = event.read;
        addRun(model.spent, event.read.spent.ms, usageOf(event.read), { charged: false });
      }
      break;
    case 'ended': {
      const { attempted = 0, passed = 0, failed = 0, skipped = 0, waiting = 0, ms = 0, dollars = 0 } = event;
      known.endedAt = at;
      const apart = event.elsewhere === undefined ? {} : { elsewhere: event.elsewhere };
      known.summary = { wave, attempted, passed, failed, skipped, ...apart, waiting, ms, dollars };
      break;
    }
    case 'over':
      model.wavesEnd = event.why ?? '';
      return;
    case 'waits':
      return;
  }
  model.waves.set(wave, known);
}

/** Of a wave whose events are lost. */
export function foldWaveEnd(model: RunModel, summary: WaveSummary, of: number): void {
  const known = model.waves.get(summary.wave) ?? { wave: summary.wave, of, taken: [] };
  model.waves.set(summary.wave, { ...known, summary });
}

/** Unknown use stays unknown. */
const usageOf = ({ spent }: WaveReading): Usage => ({
  ...(spent.unknownTokens > 0 && spent.tokens === 0 ? {} : { inputTokens: spent.tokens }),
  ...(spent.unknownDollars > 0 && spent.dollars === 0 ? {} : { costUsd: spent.dollars }),
});
