/** Which reports a wave takes, and when no further wave begins, whatever came before. Features: E1 E2 E4. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SMALL_BACKLOG } from '../../../../src/decide/triage/tier.js';
import { MOST_EMPTY, wavesEnd } from '../../../../src/decide/waves/breakers.js';
import { type Candidate, chooseWave } from '../../../../src/decide/waves/choose.js';

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });
const some = ids.map((all) => new Set(all.map(String)));
const candidates = ids.chain((all) =>
  fc.tuple(
    ...all.map((id) =>
      fc.record<Candidate>({
        id: fc.constant(String(id)),
        tier: fc.constantFrom('T1', 'T2', 'T3'),
        score: fc.integer({ min: -50, max: 200 }),
        dependsOn: fc.array(fc.integer({ min: 0, max: 45 }).map(String), { maxLength: 2 }),
      }),
    ),
  ),
);
const free = candidates.map((all) => all.map((one) => ({ ...one, dependsOn: [] })));
const asked = fc.record({ most: fc.integer({ min: 1, max: 8 }), known: some, done: some });

describe('E1 the choice of a wave', () => {
  it('takes no more than it may, none twice, none that the run has or that has landed', () => {
    fc.assert(
      fc.property(candidates, asked, (all, { most, known, done }) => {
        const { taken, left } = chooseWave(all, { most, known, done });
        const names = taken.map(({ id }) => id);
        expect(names.length).toBeLessThanOrEqual(most);
        expect(new Set(names).size).toBe(names.length);
        for (const id of names) expect(known.has(id) || done.has(id)).toBe(false);
        expect(left + names.length).toBe(all.filter(({ id }) => !known.has(id) && !done.has(id)).length);
      }),
    );
  });

  it('takes nothing before what it depends on', () => {
    fc.assert(
      fc.property(candidates, asked, (all, { most, known, done }) => {
        const { taken } = chooseWave(all, { most, known, done });
        const here = new Set(all.map(({ id }) => id));
        for (const [at, { dependsOn }] of taken.entries()) {
          const before = new Set(taken.slice(0, at).map(({ id }) => id));
          for (const id of dependsOn)
            expect(done.has(id) || before.has(id) || !(here.has(id) || known.has(id))).toBe(true);
        }
      }),
    );
  });

  it('E4 takes T3 last, but by score alone where few are left; the order of the source does not matter', () => {
    fc.assert(
      fc.property(free, asked, (all, { most, known, done }) => {
        const { taken, left } = chooseWave(all, { most, known, done });
        const turned = chooseWave([...all].reverse(), { most, known, done });
        expect(turned.taken.map(({ id }) => id)).toEqual(taken.map(({ id }) => id));
        const open = all.filter(({ id }) => !known.has(id) && !done.has(id));
        if (left > 0) expect(taken.length).toBe(most);
        const rest = open.filter((one) => !taken.includes(one));
        if (open.length > SMALL_BACKLOG && taken.some(({ tier }) => tier === 'T3'))
          expect(rest.every(({ tier }) => tier === 'T3')).toBe(true);
        if (open.length <= SMALL_BACKLOG)
          for (const one of taken) for (const other of rest) expect(one.score).toBeGreaterThanOrEqual(other.score);
      }),
    );
  });
});

describe('E2 the breakers', () => {
  const waves = fc.array(fc.record({ passed: fc.integer({ min: 0, max: 3 }) }), { maxLength: 12 });

  it('end every sequence of waves at maxWaves at the latest', () => {
    fc.assert(
      fc.property(waves, fc.integer({ min: 1, max: 12 }), (done, maxWaves) => {
        const end = wavesEnd({ done, usedUp: false }, { maxWaves });
        if (done.length >= maxWaves) expect(end).toBe('max-waves');
        else {
          const last = done.slice(-MOST_EMPTY);
          const empty = last.length === MOST_EMPTY && last.every(({ passed }) => passed === 0);
          expect(end).toBe(empty ? 'no-success' : undefined);
        }
      }),
    );
  });

  it('tolerate one bad wave, and a success between two bad ones; a used-up budget ends them', () => {
    const of = (...passed: number[]) => ({ done: passed.map((one) => ({ passed: one })), usedUp: false });
    const end = (facts: Parameters<typeof wavesEnd>[0]) => wavesEnd(facts, { maxWaves: 9 });
    expect([end(of()), end(of(0)), end(of(0, 1, 0)), end(of(2, 0, 0))]).toEqual([
      ...[undefined, undefined, undefined, 'no-success'],
    ]);
    expect(end({ ...of(1), usedUp: true })).toBe('budget');
  });
});
