/** What came of a run, in one line. Features: G1 G9. */
import { expect, it } from 'vitest';
import { outcomeWords } from '../../../src/screen/outcome-words.js';

it('what left the target is counted among the ideas of all runs where there were earlier ones', () => {
  const counts = { landed: 7, landedBefore: 0, gone: 2, open: 1, leftOut: 0 };
  expect(outcomeWords(counts, 'main')).toEqual(['7 landed', '2 of them no longer on main', '1 not']);
  expect(outcomeWords({ ...counts, landedBefore: 6 }, 'main')).toEqual([
    '1 landed in this run (7 in all)',
    '2 of all 7 no longer on main',
    '1 not',
  ]);
});
