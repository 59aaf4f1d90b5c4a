import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Graph, type GraphRules } from '../../../../src/decide/scheduler/graph.js';
import type { IdeaCard } from '../../../../src/protocol/idea.js';
import type { IdeaEntry } from '../../../../src/protocol/run.js';
import { card, entryOf, pilotOf } from '../support.js';

const graphOf = (cards: IdeaCard[], landed: string[] = []): { graph: Graph; entries: IdeaEntry[] } => {
  const entries = cards.map((one) => entryOf(one, { status: landed.includes(one.id) ? 'landed' : 'pending' }));
  return { graph: new Graph(entries), entries };
};
const ready = (graph: Graph): string[] => [...graph.ready()].sort();
const land = (graph: Graph, id: string): void => {
  const entry = graph.entry(id);
  if (!entry) throw new Error(`no ${id}`);
  entry.status = 'landed';
  graph.refresh(id);
  graph.markDone(id);
};
const blue = (id: string, more: Partial<IdeaCard> = {}): IdeaCard => card(id, { blue: true, ...more });

describe('A3 dependencies', () => {
  test('A3: an idea is ready only once all it depends on is done', () => {
    const { graph } = graphOf([card('a'), card('b'), card('c', { dependsOn: ['a', 'b'] })]);
    expect(ready(graph)).toEqual(['a', 'b']);
    land(graph, 'a');
    expect(graph.waitsFor('c')).toEqual(['b']);
    expect(ready(graph)).toEqual(['b']);
    land(graph, 'b');
    expect(ready(graph)).toEqual(['c']);
    expect(graph.readyCount).toBe(1);
  });

  test('A3: landing at hand is not enough, nor is any other status', () => {
    for (const status of ['running', 'landing', 'failed', 'blocked', 'timeout', 'needs-human'] as const) {
      const graph = new Graph([entryOf(card('a'), { status }), entryOf(card('b', { dependsOn: ['a'] }))]);
      expect(ready(graph)).toEqual([]);
    }
  });

  test('A3: what landed before counts, in any order of the backlog', () => {
    const { graph } = graphOf([card('b', { dependsOn: ['a'] }), card('a')], ['a']);
    expect(ready(graph)).toEqual(['b']);
  });

  test('A3: refresh follows the status, both ways', () => {
    const { graph, entries } = graphOf([card('a')]);
    const [a] = entries;
    if (!a) throw new Error('no a');
    a.status = 'running';
    graph.refresh('a');
    expect(graph.isReady('a')).toBe(false);
    a.status = 'pending';
    graph.refresh('a');
    expect(graph.isReady('a')).toBe(true);
  });

  test('A3: marking done twice counts a child once', () => {
    const { graph } = graphOf([blue('p'), card('a', { parent: 'p' }), card('b', { parent: 'p' })]);
    land(graph, 'a');
    graph.markDone('a');
    expect(graph.isDone('p')).toBe(false);
    expect(graph.siblings('b')).toEqual({ done: 1, total: 2 });
  });

  test('A3: an unknown dependency never becomes ready by itself', () => {
    const { graph } = graphOf([card('a', { dependsOn: ['ghost'] })]);
    expect(ready(graph)).toEqual([]);
    expect(graph.waitsFor('a')).toEqual(['ghost']);
  });
});

describe('A4 Blues', () => {
  test('A4: a Blue is never executed and is done when its children are', () => {
    const { graph } = graphOf([blue('p'), card('a', { parent: 'p' }), card('b', { parent: 'p' })]);
    expect(ready(graph)).toEqual(['a', 'b']);
    land(graph, 'a');
    expect(graph.isDone('p')).toBe(false);
    land(graph, 'b');
    expect(graph.isDone('p')).toBe(true);
  });

  test('A4: nested Blues finish from the inside out, in one cascade', () => {
    const { graph } = graphOf([
      blue('top'),
      blue('mid', { parent: 'top' }),
      card('leaf', { parent: 'mid' }),
      card('after', { dependsOn: ['top'] }),
    ]);
    expect(ready(graph)).toEqual(['leaf']);
    land(graph, 'leaf');
    expect([graph.isDone('mid'), graph.isDone('top')]).toEqual([true, true]);
    expect(ready(graph)).toEqual(['after']);
  });

  test('A3 A4: depending on a Blue waits for all its children', () => {
    const { graph } = graphOf([
      blue('p'),
      card('a', { parent: 'p' }),
      card('b', { parent: 'p' }),
      card('z', { dependsOn: ['p'] }),
    ]);
    land(graph, 'a');
    expect(graph.isReady('z')).toBe(false);
    land(graph, 'b');
    expect(graph.isReady('z')).toBe(true);
  });

  test('A3 A4: children inherit what their Blues depend on, through every level', () => {
    const { graph } = graphOf([
      card('x'),
      card('y'),
      blue('top', { dependsOn: ['x'] }),
      blue('mid', { parent: 'top', dependsOn: ['y'] }),
      card('leaf', { parent: 'mid' }),
    ]);
    expect(graph.waitsFor('leaf').sort()).toEqual(['x', 'y']);
    land(graph, 'x');
    expect(graph.isReady('leaf')).toBe(false);
    land(graph, 'y');
    expect(graph.isReady('leaf')).toBe(true);
  });

  test('A4: an empty Blue is done at once, and so are Blues that hold only empty ones', () => {
    const { graph } = graphOf([blue('outer'), blue('inner', { parent: 'outer' }), card('z', { dependsOn: ['outer'] })]);
    expect(graph.isDone('outer')).toBe(true);
    expect(ready(graph)).toEqual(['z']);
  });

  test('A3 A4: an empty Blue with dependencies is a milestone: done once they are', () => {
    const { graph } = graphOf([card('a'), blue('stone', { dependsOn: ['a'] }), card('z', { dependsOn: ['stone'] })]);
    expect(graph.isDone('stone')).toBe(false);
    expect(ready(graph)).toEqual(['a']);
    land(graph, 'a');
    expect(graph.isDone('stone')).toBe(true);
    expect(ready(graph)).toEqual(['z']);
  });

  test('A4: a parent that is no Blue is not done by its children', () => {
    const { graph } = graphOf([card('p'), card('a', { parent: 'p' }), card('z', { dependsOn: ['p'] })]);
    land(graph, 'a');
    expect(graph.isDone('p')).toBe(false);
    expect(ready(graph)).toEqual(['p']);
    expect(graph.siblings('a')).toEqual({ done: 0, total: 0 });
  });

  test('A4: a chain of parents that bites its own tail does not hang', () => {
    const { graph } = graphOf([blue('p', { parent: 'q' }), blue('q', { parent: 'p' }), card('a', { parent: 'p' })]);
    expect(graph.isReady('a')).toBe(true);
    land(graph, 'a');
    expect(graph.isDone('p')).toBe(false);
  });

  const ticked = (rules: GraphRules): Graph =>
    new Graph(
      [
        entryOf(blue('top'), { status: 'landed' }),
        entryOf(blue('mid', { parent: 'top' }), { status: 'landed' }),
        entryOf(card('a', { parent: 'mid' }), { status: 'landed' }),
        entryOf(card('b', { parent: 'mid' })),
        entryOf(card('z', { dependsOn: ['top'] })),
        entryOf(blue('empty'), { status: 'landed' }),
        entryOf(card('y', { dependsOn: ['empty'] })),
      ],
      rules,
    );

  test('A4: a ticked Blue with an open child, at whatever depth, has not landed: what depends on it waits', () => {
    const graph = ticked({ bluesByChildren: true });
    expect(ready(graph)).toEqual(['b', 'y']);
    expect([graph.isDone('mid'), graph.isDone('top'), graph.group('mid')]).toEqual([
      false,
      false,
      { done: 1, total: 2 },
    ]);
    expect(graph.completes('b')).toEqual(['mid', 'top']);
    expect(graph.markDone('b').sort()).toEqual(['mid', 'top']);
    expect(graph.isReady('z')).toBe(true);
  });

  test('A4: a run that began when a tick on a Blue counted goes on so', () => {
    expect(ready(ticked({}))).toEqual(['b', 'y', 'z']);
  });

  test('A4: a child that is added below a Blue which had landed must land before what depends on the Blue starts', () => {
    const pilot = pilotOf([blue('p'), card('a', { parent: 'p' }), card('z', { dependsOn: ['p'] })], {
      slots: 3,
      bluesByChildren: true,
    });
    const [p, a] = pilot.state.entries;
    if (!p || !a) throw new Error('no entries');
    Object.assign(p, { status: 'landed' });
    Object.assign(a, { status: 'landed' });
    pilot.enqueue([card('b', { parent: 'p' })]);
    expect(pilot.decide(false).flatMap(({ do: what, idea }) => (what === 'start' ? [idea] : []))).toEqual(['b']);
  });

  test('A4: in any tree of Blues with any ticks, a Blue with children is done exactly when no idea in it is open', () => {
    const tree = fc.array(
      fc.record({ up: fc.nat(), blue: fc.boolean(), ticked: fc.boolean(), waits: fc.option(fc.nat()) }),
      { minLength: 1, maxLength: 14 },
    );
    fc.assert(
      fc.property(tree, (nodes) => {
        const cards: IdeaCard[] = [];
        nodes.forEach((node, at) => {
          // A parent and a dependency stand before, so that nothing bites its own tail.
          const blues = cards.filter((one) => one.blue);
          const parent = blues[node.up % (blues.length + 1)]?.id;
          const dep = node.waits === null ? undefined : cards[node.waits % (cards.length || 1)]?.id;
          cards.push(
            card(`i-${at}`, {
              ...(node.blue ? { blue: true } : {}),
              ...(parent ? { parent } : {}),
              ...(dep ? { dependsOn: [dep] } : {}),
            }),
          );
        });
        const below = (id: string): IdeaCard[] => {
          const own = cards.filter((one) => one.parent === id);
          return own.length > 0 ? own.flatMap(({ id: child }) => below(child)) : cards.filter((one) => one.id === id);
        };
        const isTicked = (id: string): boolean => nodes[Number(id.slice(2))]?.ticked ?? false;
        const graph = new Graph(
          cards.map((one) => entryOf(one, { status: isTicked(one.id) ? 'landed' : 'pending' })),
          { bluesByChildren: true },
        );
        const isBlueParent = (id: string): boolean => cards.some(({ parent }) => parent === id);
        for (const { id } of cards.filter((one) => isBlueParent(one.id)))
          expect(graph.isDone(id)).toBe(below(id).every((leaf) => graph.isDone(leaf.id)));
        for (const id of graph.ready())
          for (const dep of cards.find((one) => one.id === id)?.dependsOn ?? [])
            expect(below(dep).every((leaf) => graph.isDone(leaf.id))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('A2: stepping over half of the siblings names the ready ones to be scored again', () => {
    const { graph } = graphOf([blue('p'), ...['a', 'b', 'c'].map((id) => card(id, { parent: 'p' }))]);
    graph.takeTouched();
    land(graph, 'a');
    expect(graph.takeTouched()).toEqual([]);
    land(graph, 'b');
    expect(graph.takeTouched()).toEqual(['c']);
  });
});
