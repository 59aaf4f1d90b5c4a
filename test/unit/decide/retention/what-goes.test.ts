/** What a cleaning removes: ages, sizes, and the property that nothing goes that must stay. Features: G9. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../../../src/config/schema/retention.js';
import {
  projectGoes,
  type RunFacts,
  runsThatGo,
  savesThatGo,
  worktreesThatGo,
} from '../../../../src/decide/retention/what-goes.js';
import type { Days, Retention } from '../../../../src/protocol/retention.js';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-26T12:00:00Z');
const ago = (days: number): number => NOW - days * DAY;
const run = (runId: string, days: number, parts: RunFacts['parts'] = {}, over = true): RunFacts => ({
  ...{ runId, over, at: ago(days), reported: true },
  parts: { transcripts: 1e6, gateLogs: 1e6, events: 1e3, ...parts },
});
const rules = (some: Partial<Retention> = {}): Retention => ({ ...DEFAULT_RETENTION, ...some });

describe('runs', () => {
  it('each part goes by its own age', () => {
    const runs = [run('young', 3), run('month', 31), run('quarter', 91), run('year', 366)];
    expect(runsThatGo(runs, rules(), NOW).map(({ runId, parts }) => [runId, parts])).toEqual([
      ['year', ['gateLogs', 'transcripts', 'events']],
      ['quarter', ['gateLogs', 'transcripts']],
      ['month', ['gateLogs']],
    ]);
  });

  it('the events of a run without a report stay', () => {
    const [goes] = runsThatGo([{ ...run('year', 400), reported: false }], rules(), NOW);
    expect(goes?.parts).toEqual(['gateLogs', 'transcripts']);
  });

  it('above the size the oldest go, and none that is younger than keepDays', () => {
    const large = { transcripts: 60e6, gateLogs: 0, events: 0 };
    const runs = [run('a', 20, large), run('b', 15, large), run('c', 10, large), run('d', 2, large)];
    const goes = runsThatGo(runs, rules({ maxMegabytes: 130 }), NOW);
    expect(goes.map(({ runId }) => runId)).toEqual(['a', 'b']);
    expect(goes[0]?.why).toBe('20 days old; the runs are larger than 130 MB');
    expect(runsThatGo(runs, rules({ maxMegabytes: 1 }), NOW).map(({ runId }) => runId)).toEqual(['a', 'b', 'c']);
  });

  it('a clock that was set back removes nothing', () => {
    expect(runsThatGo([run('a', -400)], rules({ maxMegabytes: 1 }), NOW)).toEqual([]);
  });
});

describe('worktrees', () => {
  const tree = { path: '/w', at: ago(31), locked: false, unsaved: false, kept: true };
  it('goes only where nothing is lost; what is old and stays is told', () => {
    const of = (some: object) => worktreesThatGo([{ ...tree, ...some }], rules(), { now: NOW, open: false });
    expect(of({}).goes).toEqual([{ name: '/w', why: 'unused, 31 days old' }]);
    expect(of({ at: ago(29) })).toEqual({ goes: [], stays: [] });
    expect(of({ unsaved: true })).toEqual({ goes: [], stays: ['/w stays: it holds files that are not committed'] });
    expect(of({ kept: false })).toEqual({ goes: [], stays: ['/w stays: no branch has its commits'] });
    expect(of({ locked: true })).toEqual({ goes: [], stays: ['/w stays: it is locked'] });
  });
});

describe('saves', () => {
  it('what has not landed has a long age of its own, and goes only when somebody asks', () => {
    const saves = [
      { ref: 'landed', at: ago(91), landed: true },
      { ref: 'open', at: ago(91), landed: false },
      { ref: 'old', at: ago(366), landed: false },
    ];
    const asked = savesThatGo(saves, rules(), { now: NOW, open: false, byItself: false });
    expect(asked.goes.map(({ name }) => name)).toEqual(['landed', 'old']);
    const alone = savesThatGo(saves, rules(), { now: NOW, open: false, byItself: true });
    expect(alone.goes.map(({ name }) => name)).toEqual(['landed']);
    expect(alone.stays).toEqual([
      '1 save older than 365 days with work that is not on the target waits for: ralphctl clean',
    ]);
  });
});

it('a project whose repository is away, or whose run may be open, stays', () => {
  const gone = { repository: 'gone' as const, at: ago(91), open: false };
  expect(projectGoes(gone, rules(), NOW)).toBe(true);
  expect(projectGoes({ ...gone, repository: 'away' }, rules(), NOW)).toBe(false);
  expect(projectGoes({ ...gone, repository: 'there' }, rules(), NOW)).toBe(false);
  expect(projectGoes({ ...gone, open: true }, rules(), NOW)).toBe(false);
  expect(projectGoes({ ...gone, at: ago(89) }, rules(), NOW)).toBe(false);
});

describe('whatever there is and whatever the rules', () => {
  const days: fc.Arbitrary<Days> = fc.oneof(fc.integer({ min: 1, max: 800 }), fc.constant('never' as const));
  const anyRules = fc
    .record({
      keepDays: fc.integer({ min: 1, max: 400 }),
      ...{ transcriptDays: days, gateLogDays: days, runDays: days, worktreeDays: days },
      ...{ saveDays: days, unlandedSaveDays: days, goneProjectDays: days, maxMegabytes: days },
    })
    .map((some) => rules(some));
  const at = fc.integer({ min: -100, max: 1000 }).map(ago);
  const bytes = fc.option(fc.integer({ min: 0, max: 5e8 }), { nil: undefined });
  const anyRuns = fc.array(
    fc
      .record({ over: fc.boolean(), at, transcripts: bytes, gateLogs: bytes, events: bytes, reported: fc.boolean() })
      .map(({ over, at: then, reported, ...parts }) => ({ over, at: then, reported, parts })),
    { maxLength: 12 },
  );
  const isYoung = (then: number, own: Days, { keepDays }: Retention): boolean =>
    own === 'never' || NOW - then < Math.max(own, keepDays) * DAY;

  it('no run goes that is open or young, and for its size only transcripts and gate logs', () => {
    fc.assert(
      fc.property(anyRules, anyRuns, (some, facts) => {
        const runs = facts.map(({ parts, ...one }, place): RunFacts => {
          const there = Object.fromEntries(Object.entries(parts).filter(([, size]) => size !== undefined));
          return { ...one, runId: `r${place}`, parts: there };
        });
        for (const { runId, parts } of runsThatGo(runs, some, NOW)) {
          const one = runs.find((other) => other.runId === runId);
          expect(one?.over).toBe(true);
          expect(isYoung(one?.at ?? NOW, 1, some)).toBe(false);
          expect(new Set(parts).size).toBe(parts.length);
          for (const part of parts) expect(one?.parts).toHaveProperty(part);
          if (parts.includes('events')) {
            expect(one?.reported).toBe(true);
            expect(isYoung(one?.at ?? NOW, some.runDays, some)).toBe(false);
          }
        }
      }),
    );
  });

  it('no worktree goes that is young, locked, or holds what nothing else has, and none while a run is open', () => {
    const tree = fc.record({ at, locked: fc.boolean(), unsaved: fc.boolean(), kept: fc.boolean() });
    fc.assert(
      fc.property(anyRules, fc.array(tree), fc.boolean(), (some, trees, open) => {
        const all = trees.map((one, place) => ({ ...one, path: `/w/${place}` }));
        for (const { name } of worktreesThatGo(all, some, { now: NOW, open }).goes) {
          const one = all.find(({ path }) => path === name);
          expect({ ...one, at: 0, path: '', open }).toEqual({
            ...{ at: 0, path: '', open: false, locked: false, unsaved: false, kept: true },
          });
          expect(isYoung(one?.at ?? NOW, some.worktreeDays, some)).toBe(false);
        }
      }),
    );
  });

  it('no save goes that is younger than its own age, by itself none that has not landed, and none while a run is open', () => {
    fc.assert(
      fc.property(
        anyRules,
        fc.array(fc.record({ at, landed: fc.boolean() })),
        fc.boolean(),
        fc.boolean(),
        (some, saves, open, byItself) => {
          const all = saves.map((one, place) => ({ ...one, ref: `s${place}` }));
          for (const { name } of savesThatGo(all, some, { now: NOW, open, byItself }).goes) {
            const one = all.find(({ ref }) => ref === name);
            expect(open).toBe(false);
            expect(one?.landed || !byItself).toBe(true);
            expect(isYoung(one?.at ?? NOW, one?.landed ? some.saveDays : some.unlandedSaveDays, some)).toBe(false);
          }
        },
      ),
    );
  });
});
