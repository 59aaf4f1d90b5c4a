/** The one notation of durations in messages: G2. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { took } from '../../../src/decide/duration.js';

test.each([
  [0, '0.0s'],
  [9949, '9.9s'],
  [9960, '9.9s'],
  [20_000, '20s'],
  [59_400, '59s'],
  [59_600, '59s'],
  [119_000, '1m59s'],
  [754_000, '12m34s'],
  [3_599_600, '59m59s'],
  [6_120_000, '1h42m'],
  [187_200_000, '2d4h'],
])('G2: %d ms reads %s', (ms, text) => {
  expect(took(ms)).toBe(text);
});

test('G2: a duration never shows sixty of anything', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (ms) => {
      expect(took(ms)).not.toMatch(/60[sm]|24h/);
    }),
    { examples: [[179_600], [3_599_600], [86_399_999]] },
  );
});
