import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_LISTED, survey } from '../../../../src/decide/views/survey.js';
import type { IdeaEntry } from '../../../../src/protocol/run.js';
import { IDEA_STATUSES } from '../../../../src/protocol/states.js';
import { card, entryOf, stats } from '../support.js';

const flag = fc.option(fc.constant(true as const), { nil: undefined });
const anyEntry = fc
  .record({
    status: fc.constantFrom(...IDEA_STATUSES),
    blue: flag,
    conflicted: flag,
    hold: flag,
    approval: flag,
    pauseAsked: flag,
  })
  .chain((one) => fc.record({ one: fc.constant(one), rounds: fc.nat(2), count: fc.nat(3), busy: fc.boolean() }));
const anyEntries = fc.array(anyEntry, { maxLength: 40 }).map((all) =>
  all.map(({ one, rounds, count, busy }, at): IdeaEntry => {
    const { status, blue, ...flags } = one;
    const known = Object.fromEntries(Object.entries(flags).filter(([, value]) => value));
    return entryOf(card(`i${at}`, blue ? { blue } : {}), {
      ...{ status, rounds, ...known },
      ...(count > 0 ? { iterations: stats(count) } : {}),
      ...(busy ? { busy: 'cleanup' } : {}),
    });
  }),
);

describe('A8 G9 one pass over all ideas', () => {
  test('counts and lists what looking for each on its own finds', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const found = survey(entries);
        const plain = entries.filter((entry) => !entry.card.blue);
        for (const status of IDEA_STATUSES)
          expect(found.counts[status]).toBe(plain.filter((entry) => entry.status === status).length);
        expect(found.total).toBe(plain.length);
        expect(found.approvals).toBe(entries.filter((entry) => entry.approval).length);
        expect(found.gitTasks).toBe(entries.filter((entry) => entry.busy).length);
        expect(found.conflictsResolved).toBe(
          entries.filter((entry) => entry.status === 'landed' && entry.conflicted).length,
        );
        expect(found.iterations.count).toBe(entries.reduce((sum, one) => sum + (one.iterations?.count ?? 0), 0));
        const ids = (list: readonly IdeaEntry[]): string[] => list.map((entry) => entry.card.id);
        const of = (...statuses: string[]): IdeaEntry[] =>
          statuses.flatMap((status) => entries.filter((entry) => entry.status === status));
        expect(ids(found.active.shown)).toEqual(ids(of('running', 'paused', 'wants-slot', 'landing')));
        const asks = of('needs-human', 'blocked', 'failed', 'timeout');
        const held = entries.filter((entry) => entry.hold && entry.status === 'pending' && !entry.approval);
        const others = entries.filter((entry) => !asks.includes(entry) && entry.approval);
        expect(ids(found.held.shown)).toEqual(ids(held));
        expect(ids(found.attention.shown)).toEqual(ids([...asks, ...others]));
        expect(found.attention.total).toBe(asks.length + others.length);
      }),
    );
  });

  test('a list is cut, its total is not', () => {
    const entries = Array.from({ length: 3 * MAX_LISTED }, (_, at) => entryOf(card(`i${at}`), { status: 'failed' }));
    entries.push(entryOf(card('asks'), { status: 'needs-human' }));
    const { attention } = survey(entries);
    expect(attention.shown).toHaveLength(MAX_LISTED);
    expect(attention.shown[0]?.card.id).toBe('asks');
    expect(attention.total).toBe(3 * MAX_LISTED + 1);
  });
});
