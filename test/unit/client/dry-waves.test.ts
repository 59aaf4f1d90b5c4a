/** The first wave in a dry run. Features: E1. */
import { expect, it } from 'vitest';
import { firstWaveLines } from '../../../src/client/open-run/dry-waves.js';

it('E1: a dry run of a wave tells of each run whose work triage does not know', () => {
  const problems = [
    'triage does not know the work of run r-1: \u001b[2Jwhy',
    'triage does not know the work of run r-2',
  ];
  const lines = firstWaveLines(
    { taken: [], left: 0, leftOut: 0, rejected: [], problems },
    { maxWaves: 5, batchSize: 3 },
  );
  expect(lines).toEqual([
    'wave 1 of 5 waves of up to 3 would take nothing; 0 for later waves, 0 rejected',
    expect.stringMatching(/^triage does not know the work of run r-1: why$/),
    'triage does not know the work of run r-2',
  ]);
});
