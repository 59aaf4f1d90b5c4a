/**
 * Whether another wave begins (E2).
 * Invariant: pure; every sequence of waves ends. May import protocol only.
 */
import type { WaveSettings, WaveSummary, WavesEnd } from '../../protocol/waves.js';

/** Waves in a row without a success. One bad wave may have a cause that passes. */
export const MOST_EMPTY = 2;

export interface WaveFacts {
  /** Waves that are over. */
  done: readonly Pick<WaveSummary, 'passed'>[];
  /** The budget of the run is used up. */
  usedUp: boolean;
}

/** Undefined: another wave may begin. */
export function wavesEnd(
  { done, usedUp }: WaveFacts,
  { maxWaves }: Pick<WaveSettings, 'maxWaves'>,
): WavesEnd | undefined {
  if (done.length >= maxWaves) return 'max-waves';
  const last = done.slice(-MOST_EMPTY);
  if (last.length === MOST_EMPTY && last.every(({ passed }) => passed === 0)) return 'no-success';
  return usedUp ? 'budget' : undefined;
}

export function endText(
  end: WavesEnd,
  done: readonly Pick<WaveSummary, 'passed'>[],
  { maxWaves }: WaveSettings,
): string {
  switch (end) {
    case 'max-waves':
      return `waves.maxWaves is reached (${maxWaves})`;
    case 'no-success':
      return `${MOST_EMPTY} waves in a row had no success`;
    case 'empty':
      return done.length === 0
        ? 'triage lets no report through'
        : 'the backlog has no further report that triage lets through';
    case 'budget':
      return 'the budget of the run is used up';
  }
}
