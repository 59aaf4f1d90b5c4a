import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { enqueueProblem } from '../../../../src/decide/run/enqueue.js';
import { findCycle, Graph } from '../../../../src/decide/scheduler/graph.js';
import type { IdeaCard } from '../../../../src/protocol/idea.js';
import { card, entryOf, pilotOf } from '../support.js';

const graph = new Graph([
  entryOf(card('old')),
  entryOf(card('blue', { blue: true, dependsOn: ['old'] })),
  entryOf(card('kid', { parent: 'blue' })),
  entryOf(card('after', { dependsOn: ['blue'] })),
  entryOf(card('gone', { dependsOn: ['blue'] }), { status: 'landed' }),
]);
const problem = (...cards: unknown[]): string | undefined => enqueueProblem(graph, cards as IdeaCard[]);

describe('A3 enqueue', () => {
  test('A3: ideas that fit are taken', () => {
    expect(problem(card('n1', { dependsOn: ['old', 'blue'] }), card('n2', { dependsOn: ['n1'], parent: 'blue' }))).toBe(
      'n1 -> blue -> n2 -> n1 is a cycle',
    );
    expect(problem(card('n1', { dependsOn: ['old', 'blue'] }), card('n2', { dependsOn: ['n1'] }))).toBeUndefined();
    expect(problem(card('n3', { parent: 'blue', tags: ['critical'] }))).toBeUndefined();
    expect(problem(card('nb', { blue: true }), card('n4', { parent: 'nb' }))).toBeUndefined();
  });

  test.each([
    ['nothing', [], 'no ideas were given'],
    ['null', [null], 'every idea needs an id and a title'],
    ['a text', ['x'], 'every idea needs an id and a title'],
    ['no id', [{ id: undefined, title: 'x' }], 'undefined is not a valid idea id'],
    ['a bad id', [card('../up')], '"../up" is not a valid idea id'],
    ['no title', [{ id: 'n' }], 'n has no title'],
    ['a long title', [card('n', { title: 'x'.repeat(81) })], 'the title of n is longer than 80 characters'],
    ['deps as text', [{ ...card('n'), dependsOn: 'old' }], 'dependsOn of n is not a list of idea ids'],
    ['tags as numbers', [{ ...card('n'), tags: [1] }], 'tags of n is not a list of texts'],
    ['parent as list', [{ ...card('n'), parent: ['blue'] }], 'parent of n is not an idea id'],
    ['blue as text', [{ ...card('n'), blue: 'yes' }], '`blue` of n (whether it is an epic) is either true or left out'],
    ['a known id', [card('old')], 'there is already an idea old'],
    ['the same id twice', [card('n'), card('n')], 'there is already an idea n'],
    ['an unknown dependency', [card('n', { dependsOn: ['ghost'] })], 'n names ghost, which does not exist'],
    ['an unknown parent', [card('n', { parent: 'ghost' })], 'n names ghost, which does not exist'],
    ['a parent that is no Blue', [card('n', { parent: 'old' })], 'n names old as its parent, which is not an epic'],
    ['itself', [card('n', { dependsOn: ['n'] })], 'n -> n is a cycle'],
    ['each other', [card('n', { dependsOn: ['m'] }), card('m', { dependsOn: ['n'] })], 'n -> m -> n is a cycle'],
    ['its own Blue', [card('n', { parent: 'blue', dependsOn: ['blue'] })], 'n -> blue -> n is a cycle'],
    [
      'who waits for its Blue',
      [card('n', { parent: 'blue', dependsOn: ['after'] })],
      'n -> after -> blue -> n is a cycle',
    ],
  ])('A3: %s is refused with the reason', (_name, cards, reason) => {
    expect(problem(...cards)).toBe(reason);
  });

  test('A3: an idea that has landed waits for nothing, so it closes no cycle', () => {
    expect(problem(card('n', { parent: 'blue', dependsOn: ['gone'] }))).toBeUndefined();
  });

  test('A3: a chain of five thousand is checked without trouble', () => {
    const chain = Array.from({ length: 5000 }, (_, at) =>
      card(`n${at}`, { dependsOn: at === 0 ? [] : [`n${at - 1}`] }),
    );
    expect(problem(...chain.reverse())).toBeUndefined();
    expect(problem(...chain, card('close', { dependsOn: ['n4999'] }))).toBeUndefined();
  });

  test('A3: what is accepted can always be finished', () => {
    const cards = fc.array(
      fc.record({
        deps: fc.subarray(['0', '1', '2', '3', '4', 'blue', 'after']),
        parent: fc.constantFrom(undefined, 'blue', '0', '1'),
      }),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(cards, (specs) => {
        const ids = (id: string): string => (/^\d$/.test(id) ? `n${id}` : id);
        const added = specs.map(({ deps, parent }, at) =>
          card(`n${at}`, {
            dependsOn: deps.map(ids),
            ...(at < 2 ? { blue: true as const } : {}),
            ...(parent === undefined ? {} : { parent: ids(parent) }),
          }),
        );
        if (enqueueProblem(graph, added)) return;
        const all = [card('old'), card('blue', { blue: true, dependsOn: ['old'] }), card('kid', { parent: 'blue' })];
        const entries = [...all, card('after', { dependsOn: ['blue'] }), ...added].map((one) => entryOf(one));
        const whole = new Graph(entries);
        for (let [id] = whole.ready(); id !== undefined; [id] = whole.ready()) {
          const entry = whole.entry(id);
          if (entry) entry.status = 'landed';
          whole.refresh(id);
          whole.markDone(id);
        }
        expect(entries.filter(({ card: { id } }) => !whole.isDone(id)).map(({ card: { id } }) => id)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('A3: the same ideas sent twice are taken once', () => {
    const pilot = pilotOf([card('a')]);
    pilot.enqueue([card('b'), card('b')]);
    pilot.enqueue([card('b'), card('a')]);
    expect(pilot.state.entries.map((entry) => entry.card.id)).toEqual(['a', 'b']);
  });
});

describe('findCycle', () => {
  test('finds one exactly when a topological order does not exist', () => {
    const edges = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 14 });
    fc.assert(
      fc.property(edges, (pairs) => {
        const next = (node: number): number[] => pairs.filter(([from]) => from === node).map(([, to]) => to);
        const cycle = findCycle([0, 1, 2, 3, 4, 5, 6], next);
        let left = [0, 1, 2, 3, 4, 5, 6];
        for (let before = -1; before !== left.length; ) {
          before = left.length;
          left = left.filter((node) => next(node).some((to) => left.includes(to)));
        }
        expect(cycle !== undefined).toBe(left.length > 0);
        if (!cycle) return;
        expect(cycle[0]).toBe(cycle.at(-1));
        for (let at = 1; at < cycle.length; at++) expect(next(cycle[at - 1] ?? -1)).toContain(cycle[at]);
      }),
    );
  });
});
