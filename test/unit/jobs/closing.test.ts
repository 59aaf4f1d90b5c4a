/** D2: the words with which somebody closed a pull request. Pure. */
import { expect, it } from 'vitest';
import { closingWords } from '../../../src/jobs/review/closing.js';
import type { Remark } from '../../../src/jobs/review/said.js';

const CLOSED = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
const said = (author: string, minutes: number, body: string): Remark => ({
  ...{ kind: 'comment', key: `comment ${minutes}`, author, at: CLOSED + minutes * MINUTE, body, asks: true },
});
const words = (...all: Remark[]) =>
  closingWords({ by: 'ann', at: CLOSED }, all, (text) => text.replaceAll('s3cret', '[redacted]'));

it.each<{ what: string; all: Remark[]; is: string | undefined }>([
  {
    what: 'the last one before the close',
    all: [said('ann', -0.1, 'Too big.'), said('ann', -3, 'Hm.')],
    is: 'Too big.',
  },
  { what: 'the one of the close, noted just after it', all: [said('ann', 0.02, 'Split it.')], is: 'Split it.' },
  { what: 'none of another person', all: [said('bob', -1, 'Merge it!')], is: undefined },
  { what: 'none of long before', all: [said('ann', -60, 'Rename it.')], is: undefined },
  { what: 'none of later', all: [said('ann', 30, 'Sorry.')], is: undefined },
  {
    what: 'none of ralphctl with the same login',
    all: [said('ann', -1, '<!-- ralphctl answers line 1 -->\nDone.')],
    is: undefined,
  },
  { what: 'an empty one says nothing', all: [said('ann', -1, 'No.'), said('ann', -0.5, ' \n ')], is: 'No.' },
])('$what', ({ all, is }) => {
  expect(words(...all)).toBe(is);
});

it('is one bounded line that acts on no forge and shows no secret', () => {
  expect(words(said('ann', -1, 'See #3,\n@bob: "no" \u001b[31ms3cret\u202e'))).toBe("See no. 3, bob: 'no' [redacted]");
  const long = words(said('ann', -1, 'x'.repeat(5000))) ?? '';
  expect([long.length, long.at(-1)]).toEqual([160, '…']);
});
