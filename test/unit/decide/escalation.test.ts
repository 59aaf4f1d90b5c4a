import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { climb, madeProgress, noStall, wordsOf } from '../../../src/decide/escalation.js';
import type { GateResult } from '../../../src/protocol/activities.js';
import type { Ladder, Rung } from '../../../src/protocol/escalation.js';

const LADDER: Ladder = {
  after: 3,
  every: 2,
  rungs: [{ do: 'nudge' }, { do: 'fresh' }, { do: 'ask' }],
};

/** The rungs that a row of iterations takes: `.` got nowhere, `+` got somewhere. */
function taken(row: string, ladder: Ladder = LADDER): string {
  let stall = noStall();
  return [...row]
    .map((mark) => {
      const next = climb(stall, mark === '+', ladder);
      stall = next.stall;
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
        for (const progressed of marks) {
          const next = climb(stall, progressed, one);
          if (progressed) expected = 0;
          if (next.rung) expect(next.rung).toBe(one.rungs[expected++]);
          expect(next.stall.taken).toBe(expected);
          stall = next.stall;
        }
      }),
    );
  });

  test('every rung has words, and they say how long it has been', () => {
    for (const rung of LADDER.rungs) expect(wordsOf(rung, 7)).toMatch(/^7 iterations/);
  });
});

describe('progress is judged on content', () => {
  const gate = (more: Partial<GateResult> = {}): GateResult => ({ pass: false, commands: [], durationMs: 1, ...more });
  const red = (command: string, failed = 1): GateResult =>
    gate({
      failure: { command, exitCode: 1, timedOut: false, tail: String(Math.random()), log: `/log/${Math.random()}` },
      tests: { passed: 9, failed, skipped: 0, total: 9 + failed },
    });
  test.each([
    ['nothing was changed', 0, undefined, undefined, false],
    ['nothing was changed, green', 0, gate({ pass: true }), undefined, false],
    ['changed, no gate', 1, undefined, red('test'), true],
    ['changed, first red', 1, red('test'), undefined, true],
    ['changed, red as before', 3, red('test'), red('test'), false],
    ['changed, fewer tests fail', 1, red('test', 1), red('test', 2), true],
    ['changed, another command', 1, red('lint'), red('test'), true],
    ['changed, red after green', 1, red('test'), gate({ pass: true }), true],
    ['changed, green', 1, gate({ pass: true }), red('test'), true],
  ] as const)('%s', (_what, commits, after, before, expected) => {
    expect(madeProgress({ commits }, after, before)).toBe(expected);
  });
});
