/** What triage keeps whatever the reports contain. Features: E3. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { triage } from '../../../../src/decide/triage/triage.js';
import type { BugReport } from '../../../../src/protocol/triage.js';
import { input, report } from './reports.js';

/** Milliseconds; unlike the clock, it does not count what other programs do. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    ...[
      '<!--',
      '-->',
      '```\n',
      '\n# Steps\n',
      '\n1. Click on Save\n',
      '\u001b[31m',
      '\u001b]0;x\u0007',
      '<img src=x>',
      '![a](b)',
    ],
    ...[
      'TypeError: Cannot read properties of undefined (reading "a")\n',
      '\n    at f (src/a.ts:1:2)\n',
      '| OS | x |\n',
    ],
    ...[
      'I clicked Save and got a white page. ',
      'Theme is lost after reload. ',
      'please add ',
      'test ',
      '\ud800',
      '\u202e',
      'asdf ',
    ],
  ),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const reports = fc
  .uniqueArray(
    fc.record({ id: fc.stringMatching(/^[a-z0-9-]{1,6}$/), title: text, body: text, closed: fc.boolean() }),
    {
      selector: ({ id }) => id,
      maxLength: 8,
    },
  )
  .map((list) =>
    list.map(({ id, title, body, closed }) => report(id, title, body, { state: closed ? 'closed' : 'open' })),
  );

describe('E3 triage, whatever the reports contain', () => {
  it('judges every open report once, and each rejection quotes its report', () => {
    fc.assert(
      fc.property(reports, (list) => {
        const { survivors, rejected, closed } = triage(input(list));
        const byId = new Map(list.map((one) => [one.id, one]));
        expect([...survivors, ...rejected].map(({ id }) => id).sort()).toEqual(
          list.flatMap(({ id, state }) => (state === 'open' ? [id] : [])).sort(),
        );
        expect(closed).toEqual(list.flatMap(({ id, state }) => (state === 'closed' ? [id] : [])));
        for (const { id, quote, reason } of rejected) {
          const { title = '', body = '' } = byId.get(id) ?? {};
          expect(title.includes(quote) || body.includes(quote)).toBe(true);
          expect(reason).not.toBe('');
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same verdicts again, and in any order', () => {
    const shuffled = reports.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    );
    const verdicts = (list: readonly BugReport[]) => {
      const { survivors, rejected } = triage(input(list));
      return { survivors, rejected: new Map(rejected.map((one) => [one.id, one])) };
    };
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(verdicts(list)).toEqual(verdicts(list));
        expect(verdicts(other)).toEqual(verdicts(list));
      }),
      { numRuns: 200 },
    );
  });

  it('the survivors alone survive again', () => {
    fc.assert(
      fc.property(reports, (list) => {
        const kept = new Set(triage(input(list)).survivors.map(({ id }) => id));
        const left = list.filter(({ id, state }) => kept.has(id) || state === 'closed');
        expect(new Set(triage(input(left)).survivors.map(({ id }) => id))).toEqual(kept);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['one letter', 'a'],
    ['comments without an end', '<!--'],
    ['tags without an end', '<div '],
    ['escapes', '\u001b[31m'],
    ['escapes without an end', '\u001b]0;'],
    ['backticks', '`'],
    ['quotes', '"a'],
    ['blanks', ' '],
    ['line ends', '\n'],
    ['headings', '# a\n'],
    ['stars', '**'],
    ['paths', '/a'],
    ['errors', 'TypeError: x '],
    ['frames', '    at f (a.ts:1:1)\n'],
    ['links', '![a]('],
    ['Chinese', '打不开'],
    ['halves of pairs', '\ud83d'],
    ['words', 'when i click the button it does not work and '],
    ['numbers', '1. 2) - * '],
    ['dots', 'a.b-c_d/'],
  ])('takes 1 MB of %s in bounded time', (_, unit) => {
    const body = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const began = process.cpuUsage();
    triage(input([report('r', body, body), report('s', 'x', body)], { files: ['src/a.ts'] }));
    // Milliseconds as a rule; without the bounds it takes minutes.
    expect(cpuMs(began)).toBeLessThan(5000);
  });

  it('a stranger cannot hold a wave with letters of two scripts in turn', () => {
    const words = ['aé', 'zд', 'n漢', 'eİ'].map((pair) => pair.repeat(10_000));
    const began = process.cpuUsage();
    triage(input(words.map((word, n) => report(`r${n}`, 'Save fails', word))));
    // Each took a minute.
    expect(cpuMs(began)).toBeLessThan(2500);
  });

  it('compares two thousand reports of the same program without comparing each with each', () => {
    const nouns = [
      'invoice',
      'calendar',
      'avatar',
      'export',
      'search',
      'upload',
      'comment',
      'password',
      'chart',
      'map',
    ];
    const verbs = ['vanishes', 'is cut off', 'shows a blank page', 'counts twice', 'jumps to the top', 'answers 500'];
    const list = Array.from({ length: 2000 }, (_, n) =>
      report(
        `r${n}`,
        `The ${nouns[n % 10]} ${verbs[n % 6]}`,
        `When I open screen ${n * 7919} the ${nouns[n % 10]} ${verbs[n % 6]}, code ${n}x${n * 31}.`,
      ),
    );
    const began = process.cpuUsage();
    const { survivors, rejected } = triage(input(list));
    expect(survivors.length + rejected.length).toBe(2000);
    expect(cpuMs(began)).toBeLessThan(30_000);
  });
});
