/** Folds the events of waves. A repeated event changes nothing. May import protocol and the files beside it only. */
import type { StampedEvent } from '../protocol/events.js';
import type { RunModel, WaveModel } from './model.js';

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
      break;
    case 'ended': {
      const { attempted = 0, passed = 0, failed = 0, skipped = 0, waiting = 0, ms = 0, dollars = 0 } = event;
      known.endedAt = at;
      known.summary = { wave, attempted, passed, failed, skipped, waiting, ms, dollars };
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
