import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { climb, couldBeStronger, noStall, rungsText, wordsOf } from '../../../../src/decide/idea/stall.js';
import { legalVerbs } from '../../../../src/decide/idea/table.js';
import type { Ladder, Rung } from '../../../../src/protocol/warnings.js';

const LADDER: Ladder = {
  after: 3,
  every: 2,
  rungs: [{ do: 'nudge' }, { do: 'fresh' }, { do: 'ask' }],
};

/** The rungs that a row of iterations takes: `.` got nowhere, `+` got somewhere. */
function taken(row: string, ladder: Ladder = LADDER, able?: (rung: Rung) => boolean): string {
  let stall = noStall();
  let idle = 0;
  return [...row]
    .map((mark) => {
      idle = mark === '+' ? 0 : idle + 1;
      const next = climb(stall, idle, ladder, able);
      stall = next.stall;
      if (next.rung?.do === 'ask') idle = 0;
      return next.rung?.do[0] ?? '-';
    })
    .join('');
}

describe('the ladder of an idea that gets nowhere', () => {
  test.each([
    ['..', '--'],
    ['...', '--n'],
    ['.....', '--n-f'],
    ['.......', '--n-f-a'],
    ['..........', '--n-f-a--n'],
    ['..+...', '-----n'],
    ['...+...', '--n---n'],
    ['++++++', '------'],
  ])('%s takes %s', (row, rungs) => {
    expect(taken(row)).toBe(rungs);
  });

  test('B6: a warning tells the rung that was taken, and promises none, because its text stays as it is', () => {
    const said = (idle: number, ladder = LADDER, before = noStall()) => rungsText(before, idle, ladder);
    expect(said(2)).toBe('');
    expect(said(3)).toBe('; it was asked for another way');
    expect(said(5, LADDER, { taken: 1 })).toBe('; it was asked for a fresh start');
    expect(said(7, LADDER, { taken: 2 })).toBe('; it asks you');
    expect(said(9, { ...LADDER, rungs: [{ do: 'nudge' }] }, { taken: 1 })).toBe('; it was asked for another way');
    expect(said(9, { ...LADDER, rungs: [] })).toBe('');
  });

  test('without rungs nothing is ever done; with only a person, a person is asked each time', () => {
    expect(taken('..........', { ...LADDER, rungs: [] })).toBe('----------');
    expect(taken('......', { after: 2, every: 1, rungs: [{ do: 'ask' }] })).toBe('-a-a-a');
  });

  test('no rung is skipped or taken twice before progress, whatever the ladder', () => {
    const rung = fc.constantFrom<Rung>({ do: 'nudge' }, { do: 'fresh' });
    const ladder = fc.record({
      after: fc.integer({ min: 1, max: 9 }),
      every: fc.integer({ min: 1, max: 9 }),
      rungs: fc.array(rung),
    });
    fc.assert(
      fc.property(ladder, fc.array(fc.boolean(), { maxLength: 200 }), (one, marks) => {
        let stall = noStall();
        let expected = 0;
        let idle = 0;
        for (const progressed of marks) {
          idle = progressed ? 0 : idle + 1;
          const next = climb(stall, idle, one);
          if (progressed) expected = 0;
          if (next.rung) expect(next.rung).toBe(one.rungs[expected++]);
          expect(next.stall.taken).toBe(expected);
          stall = next.stall;
        }
      }),
    );
  });

  const FULL: Ladder = {
    ...{ after: 2, every: 1, stronger: ['claude'] },
    rungs: [{ do: 'nudge' }, { do: 'fresh' }, { do: 'stronger' }, { do: 'other' }, { do: 'ask' }],
  };
  test.each<[string, Rung['do'][], string]>([
    ['all of it', [], '-nfsoa-n'],
    ['no stronger model', ['stronger'], '-nfoa-nf'],
    ['no other agent', ['other'], '-nfsa-nf'],
    ['neither', ['stronger', 'other'], '-nfa-nfa'],
  ])('what could change nothing is passed over without a wait: %s', (_what, unable, rungs) => {
    expect(taken('........', FULL, (rung) => !unable.includes(rung.do))).toBe(rungs);
  });

  test.each([
    ['claude', undefined, true],
    ['claude', true, false],
    ['claude', false, false],
    ['codex', undefined, false],
    [undefined, undefined, false],
  ])('%s that works stronger: %s could be made stronger: %s', (agent, stronger, expected) => {
    expect(couldBeStronger(FULL, agent, stronger)).toBe(expected);
    expect(couldBeStronger(LADDER, agent, stronger)).toBe(false);
  });

  test('every rung has words, and they say how long it has been', () => {
    for (const rung of FULL.rungs) expect(wordsOf('a-1', rung, 7)).toMatch(/^7 iterations/);
  });
});

test('C5: the question of the last rung names the commands that give the idea up, and the run takes them then', () => {
  const words = wordsOf('a-1', { do: 'ask' }, 3);
  const verbs = [...words.matchAll(/ralphctl (\w+) a-1/g)].map(([, verb]) => verb);
  expect(verbs).toEqual(['skip', 'abandon']);
  expect(legalVerbs('needs-human')).toEqual(expect.arrayContaining(verbs));
});
