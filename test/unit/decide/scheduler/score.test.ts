import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Graph } from '../../../../src/decide/scheduler/graph.js';
import { ReadyPool } from '../../../../src/decide/scheduler/ready.js';
import { bestReady, rankOf, rankReady, score, scoreParts } from '../../../../src/decide/scheduler/score.js';
import type { IdeaEntry } from '../../../../src/protocol/run.js';
import { card, entryOf, SETTINGS } from '../support.js';

const { weights } = SETTINGS;
const partsOf = (entries: IdeaEntry[], id: string) => {
  const graph = new Graph(entries);
  const entry = graph.entry(id);
  if (!entry) throw new Error(`no ${id}`);
  return { parts: scoreParts(entry, graph, weights), sum: score(entry, graph, weights) };
};

describe('A2 score', () => {
  test('A2: +10 for each idea it unblocks, directly named ones only', () => {
    const entries = [
      entryOf(card('a')),
      entryOf(card('b', { dependsOn: ['a'] })),
      entryOf(card('c', { dependsOn: ['a', 'a', 'b'] })),
    ];
    expect(partsOf(entries, 'a')).toEqual({ parts: [{ label: 'unblocks 2 ideas', value: 20 }], sum: 20 });
    expect(partsOf(entries, 'b')).toEqual({ parts: [{ label: 'unblocks 1 idea', value: 10 }], sum: 10 });
    expect(partsOf(entries, 'c')).toEqual({ parts: [], sum: 0 });
  });

  test('A2: a first place and points of a person are two parts; runs of older versions kept one sum', () => {
    const parts = (more: Partial<IdeaEntry>) => partsOf([entryOf(card('a'), more)], 'a').parts;
    expect(parts({ boost: 1_000_005, points: 5 })).toEqual([
      { label: 'bumped', value: 1_000_000 },
      { label: 'set by a person', value: 5 },
    ]);
    expect(parts({ boost: 1_000_000 })).toEqual([{ label: 'bumped', value: 1_000_000 }]);
    expect(parts({ boost: -5, points: -5 })).toEqual([{ label: 'set by a person', value: -5 }]);
    expect(parts({ boost: 21 })).toEqual([{ label: 'set by a person', value: 21 }]);
  });

  test('A2 F5: a priority of the backlog counts for each step from normal, and is named in its own word', () => {
    const entries = [
      entryOf(card('a', { priority: { steps: 2, said: 'critical' } })),
      entryOf(card('b', { priority: { steps: -1, said: 'low' } })),
    ];
    const chosen = { ...weights, priority: 20 };
    const graph = new Graph(entries);
    expect(entries.map((entry) => scoreParts(entry, graph, chosen))).toEqual([
      [{ label: 'priority critical', value: 40 }],
      [{ label: 'priority low', value: -20 }],
    ]);
    expect(entries.map((entry) => score(entry, graph, chosen))).toEqual([40, -20]);
    // A run of an older version has no such weight.
    const { priority: _, ...older } = chosen;
    expect(entries.map((entry) => score(entry, graph, older))).toEqual([0, 0]);
  });

  test('A2: +50 for the tag critical, +30 for quick-win, both add up, other tags do not count', () => {
    const entries = [
      entryOf(card('a', { tags: ['critical'] })),
      entryOf(card('b', { tags: ['quick-win'] })),
      entryOf(card('c', { tags: ['quick-win', 'critical', 'Critical', 'ui'] })),
    ];
    expect(partsOf(entries, 'a').sum).toBe(50);
    expect(partsOf(entries, 'b').sum).toBe(30);
    expect(partsOf(entries, 'c').parts).toEqual([
      { label: 'tag critical', value: 50 },
      { label: 'tag quick-win', value: 30 },
    ]);
  });

  test.each([
    [0, 3, 0],
    [1, 2, 0],
    [2, 4, 0],
    [2, 3, 20],
    [3, 4, 20],
  ])('A2: with %d of %d children of its parent done the parent adds %d', (done, total, value) => {
    const children = Array.from({ length: total }, (_, at) =>
      entryOf(card(`k${at}`, { parent: 'blue' }), { status: at < done ? 'landed' : 'pending' }),
    );
    const last = `k${total - 1}`;
    const { parts, sum } = partsOf([entryOf(card('blue', { blue: true })), ...children], last);
    expect(sum).toBe(value);
    expect(parts).toEqual(value ? [{ label: `parent ${done}/${total} done`, value }] : []);
  });

  test('A2: -15 for each retry', () => {
    expect(partsOf([entryOf(card('a'), { retries: 1 })], 'a')).toEqual({
      parts: [{ label: 'tried again once', value: -15 }],
      sum: -15,
    });
    expect(partsOf([entryOf(card('a'), { retries: 3 })], 'a').sum).toBe(-45);
  });

  test('A2: ties go by backlog order, a higher score goes first', () => {
    const entries = [entryOf(card('z')), entryOf(card('a')), entryOf(card('m', { tags: ['quick-win'] }))];
    expect(rankReady(new Graph(entries), weights)).toEqual(['m', 'z', 'a']);
  });
});

const WEIGHT = fc.integer({ min: -60, max: 60 });
const anyWeights = fc.record({
  unblocks: WEIGHT,
  critical: WEIGHT,
  quickWin: WEIGHT,
  nearComplete: WEIGHT,
  retry: WEIGHT,
});

/** Backlogs whose ideas depend on earlier ones and stand under one of a few Blues. */
const backlog = fc
  .array(
    fc.record({
      deps: fc.array(fc.nat(30), { maxLength: 3 }),
      parent: fc.option(fc.nat(3), { nil: undefined }),
      tags: fc.subarray(['critical', 'quick-win', 'ui']),
      retries: fc.nat(3),
      landed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((specs) => [
    ...[0, 1, 2, 3].map((at) => entryOf(card(`blue${at}`, { blue: true }))),
    ...specs.map(({ deps, parent, tags, retries, landed }, at) =>
      entryOf(
        card(`i${at}`, {
          dependsOn: deps.filter((dep) => dep < at).map((dep) => `i${dep}`),
          tags,
          ...(parent === undefined ? {} : { parent: `blue${parent}` }),
        }),
        { retries, status: landed ? 'landed' : 'pending' },
      ),
    ),
  ]);

describe('A2 score properties', () => {
  test('A2: the explanation always sums to the score', () => {
    fc.assert(
      fc.property(backlog, anyWeights, (entries, chosen) => {
        const graph = new Graph(entries);
        for (const entry of entries) {
          const sum = scoreParts(entry, graph, chosen).reduce((total, part) => total + part.value, 0);
          expect(sum).toBe(score(entry, graph, chosen));
        }
      }),
    );
  });

  test('A2: the best few and the place of one are those of the whole ranking', () => {
    fc.assert(
      fc.property(backlog, anyWeights, fc.nat(12), (entries, chosen, most) => {
        const graph = new Graph(entries);
        const ranking = rankReady(graph, chosen);
        expect(bestReady(graph, chosen, most)).toEqual(ranking.slice(0, most));
        for (const { card: one } of entries) {
          const at = ranking.indexOf(one.id);
          expect(rankOf(one.id, graph, chosen)).toBe(at < 0 ? undefined : at + 1);
        }
      }),
    );
  });

  test('A2: the pool picks what ranking everything would pick, through landings, restarts and changed retries', () => {
    fc.assert(
      fc.property(backlog, anyWeights, fc.array(fc.nat(99), { maxLength: 60 }), (entries, chosen, moves) => {
        const graph = new Graph(entries);
        const pool = new ReadyPool(graph, chosen);
        for (const move of moves) {
          const best = pool.best();
          const ranking = rankReady(graph, chosen);
          expect(best).toBe(ranking[0]);
          expect(pool.top(3)).toEqual(ranking.slice(0, 3));
          const pick = graph.entry(move % 3 === 0 ? (best ?? '') : (entries[move % entries.length]?.card.id ?? ''));
          if (!pick || pick.card.blue) continue;
          if (pick.status === 'running' && move % 2 === 0) {
            pick.status = 'landed';
            graph.refresh(pick.card.id);
            graph.markDone(pick.card.id);
          } else if (pick.status === 'running') {
            pick.status = 'pending';
            pick.retries += 1;
            graph.refresh(pick.card.id);
          } else if (pick.status === 'pending') {
            pick.status = 'running';
            graph.refresh(pick.card.id);
          }
        }
      }),
    );
  });
});
