/** Cues and weights of gate 2, whatever a report contains. Features: E3. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conceptsOf } from '../../../../src/decide/triage/concepts.js';
import { cuesOf } from '../../../../src/decide/triage/cues.js';
import { readable } from '../../../../src/decide/triage/readable.js';
import { shownIn } from '../../../../src/decide/triage/shown.js';
import { doubtOf } from '../../../../src/decide/triage/symptom.js';
import { triage } from '../../../../src/decide/triage/triage.js';
import { input, report } from './reports.js';

const sentence = fc.constantFrom(
  'I clicked Save and got a white page.',
  'It should be faster.',
  'The export drops the last row!',
  'What do you think?',
  'Please add a button, thanks.',
  'It is bad, really bad',
  'Steps:\n1. Open the board\n2. Drag a card',
  '- [ ] checked',
  '![a](https://example.org/a.png)',
);
const text = fc.array(fc.oneof(sentence, fc.string({ unit: 'binary', maxLength: 40 })), { maxLength: 10 });
const reports = fc.tuple(text, text).map(([title, body]) => ({ title: title.join(' '), body: body.join(' ') }));

const cuesIn = (one: { title: string; body: string }) => {
  const read = readable(one);
  return cuesOf(read, shownIn(read));
};

describe('E3 gate 2, cues', () => {
  it('are finite, never negative, and the same again', () => {
    fc.assert(
      fc.property(reports, (one) => {
        const cues = cuesIn(one);
        for (const value of Object.values(cues)) expect(Number.isFinite(value) && value >= 0).toBe(true);
        expect(Number.isFinite(doubtOf(cues))).toBe(true);
        expect(cuesIn(one)).toEqual(cues);
      }),
      { numRuns: 300 },
    );
  });

  it('never reject a report with an error message', () => {
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 6 }), (sentences) => {
        const body = `TypeError: Cannot read properties of undefined (reading "id")\n${sentences.join('\n')}`;
        expect(triage(input([report('r', 'Bug', body)])).rejected).not.toMatchObject([{ gate: 'symptom' }]);
      }),
      { numRuns: 100 },
    );
  });

  it('never reject a fault with its action and its part, whatever stands around it', () => {
    const fault = 'When I click Export on /invoices the last 3 rows are missing.';
    fc.assert(
      fc.property(
        fc.constantFrom('It is bad.', 'We need a fix.', 'What a mess!', 'Thanks.'),
        fc.boolean(),
        (more, first) => {
          const body = first ? `${more} ${fault}` : `${fault} ${more}`;
          expect(triage(input([report('r', 'Export', body)])).rejected).toEqual([]);
        },
      ),
    );
  });

  it('give the reason of a wish to a wish, with the text as its quote', () => {
    const thing = fc.constantFrom('an export to Excel', 'a dark theme', 'more colours', 'a plugin for mail');
    const wish = fc.constantFrom('It would be nice to have', 'Please add', 'Could you add', 'We would like to have');
    fc.assert(
      fc.property(wish, thing, (start, what) => {
        const body = `${start} ${what}, our people ask for it.`;
        expect(triage(input([report('r', 'Something', body)])).rejected).toMatchObject([
          { gate: 'symptom', reason: expect.stringContaining('wish'), quote: body },
        ]);
      }),
    );
  });
});

it.each([
  ['"remember me" does not hold', '"stay signed in" does not hold'],
  ['I have to log in', 'I have to sign in'],
  ['got a text message', 'got an SMS'],
  ['a balance below zero', 'a negative balance'],
  ['clicking does nothing', 'clicking has no effect'],
])('E3 gate 4 reads "%s" like "%s"', (one, other) => {
  const both = [conceptsOf(one), conceptsOf(other)];
  expect([...(both[0] ?? [])].filter((concept) => both[1]?.has(concept)).length).toBeGreaterThan(0);
});

it('E3 gate 4 does not take words with two meanings for one', () => {
  const shared = (a: string, b: string): string[] => [...conceptsOf(a)].filter((one) => conceptsOf(b).has(one));
  expect(shared('after 30 seconds', 'mail comes twice')).toEqual([]);
  expect(shared('die Rechnung', 'it crashed')).toEqual([]);
  expect(shared('a local disk', 'German words')).toEqual([]);
  expect(shared('remember the filter', 'labels are lost')).toEqual([]);
});
