import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycles } from '../../../src/backlog/cycles.js';
import { validateAgents, validateIdeas } from '../../../src/backlog/index.js';
import type { Idea } from '../../../src/protocol/idea.js';

const idea = (id: string, dependsOn: string[] = [], parent?: string): Idea => ({
  id,
  title: id,
  text: id,
  blue: false,
  dependsOn,
  tags: [],
  done: false,
  ralph: true,
  success: [],
  allowEmpty: false,
  source: { file: 'f', line: 1 },
  ...(parent === undefined ? {} : { parent }),
});
const messages = (ideas: Idea[]) => validateIdeas(ideas).map((problem) => problem.message);

describe('findCycles', () => {
  const graphs = fc
    .nat(7)
    .chain((n) =>
      fc.array(fc.uniqueArray(fc.nat(Math.max(0, n - 1)), { maxLength: 3 }), { minLength: n, maxLength: n }),
    );

  it('agrees with reachability on which nodes lie on cycles', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const reach = graph.map((targets) => graph.map((_, i) => targets.includes(i)));
        for (const k of graph.keys()) {
          for (const i of graph.keys()) {
            for (const j of graph.keys()) {
              const row = reach[i] as boolean[];
              row[j] ||= Boolean(row[k] && reach[k]?.[j]);
            }
          }
        }
        const together = (i: number, j: number) => Boolean(reach[i]?.[j] && reach[j]?.[i]);
        const knots = [...graph.keys()].filter(
          (i) => reach[i]?.[i] && ![...Array(i).keys()].some((j) => together(i, j)),
        );
        const cycles = findCycles(graph);
        expect(cycles.map((cycle) => cycle[0]).sort()).toEqual(knots.sort());
        for (const cycle of cycles) {
          expect(cycle.length).toBeGreaterThan(1);
          expect(cycle.at(-1)).toBe(cycle[0]);
          for (let i = 1; i < cycle.length; i++) expect(graph[cycle[i - 1] ?? -1]).toContain(cycle[i]);
          expect(new Set(cycle).size).toBe(cycle.length - 1);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes a chain of 100,000 without recursion', () => {
    const chain = Array.from({ length: 100_000 }, (_, i) => (i === 0 ? [] : [i - 1]));
    expect(findCycles(chain)).toEqual([]);
    expect(findCycles([[99_999], ...chain.slice(1)])).toHaveLength(1);
  });
});

describe('dependencies', () => {
  it.each<[string, Idea[], string[]]>([
    ['none', [idea('a'), idea('b', ['a'])], []],
    ['itself', [idea('a', ['a'])], ['dependency cycle: a -> a']],
    ['two', [idea('a', ['b']), idea('b', ['a'])], ['dependency cycle: a -> b -> a']],
    [
      'three',
      [idea('x'), idea('a', ['b']), idea('b', ['c']), idea('c', ['a', 'x'])],
      ['dependency cycle: a -> b -> c -> a'],
    ],
    [
      'two cycles',
      [idea('a', ['a']), idea('b', ['c']), idea('c', ['b'])],
      ['dependency cycle: a -> a', 'dependency cycle: b -> c -> b'],
    ],
    ['on a Blue', [idea('B'), idea('c', [], 'B'), idea('d', ['B'])], []],
    ['on a sibling', [idea('B'), idea('c', [], 'B'), idea('d', ['c'], 'B')], []],
    ['on the own Blue', [idea('B'), idea('c', ['B'], 'B')], ['dependency cycle: B -> c -> B']],
    ['on an ancestor', [idea('A'), idea('B', [], 'A'), idea('c', ['A'], 'B')], ['dependency cycle: A -> B -> c -> A']],
    ['through a Blue', [idea('B'), idea('c', ['d'], 'B'), idea('d', ['B'])], ['dependency cycle: B -> c -> d -> B']],
    ['a Blue on its child', [idea('B', ['c']), idea('c', [], 'B')], ['dependency cycle: B -> c -> B']],
    [
      'a Blue on what waits for its child',
      [idea('B', ['x']), idea('c', [], 'B'), idea('x', ['c'])],
      ['dependency cycle: B -> x -> c -> B'],
    ],
    ['parents', [idea('a', [], 'b'), idea('b', [], 'a')], ["these are each other's parents: a -> b -> a"]],
    ['own parent', [idea('a', [], 'a')], ["these are each other's parents: a -> a"]],
    [
      'unknown',
      [idea('a', ['tsk-1', 'tsk-1'], 'zzzzz'), idea('task-1')],
      [
        '"a" depends on "tsk-1", which is not in this backlog',
        '"a" has the parent "zzzzz", which is not in this backlog',
      ],
    ],
  ])('%s', (_, ideas, expected) => {
    expect(messages(ideas)).toEqual(expected);
  });

  it('accepts exactly what can be done in some order', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const pick = fc.constantFrom(...ids);
    const backlogs = fc.tuple(
      ...ids.map((id) =>
        fc
          .tuple(fc.uniqueArray(pick, { maxLength: 2 }), fc.option(pick, { nil: undefined, freq: 1 }))
          .map(([deps, parent]) => idea(id, deps, parent)),
      ),
    );
    fc.assert(
      fc.property(backlogs, (ideas) => {
        const byId = new Map(ideas.map((one) => [one.id, one]));
        const started = new Set<string>();
        const ended = new Set<string>();
        // Plays the rules through until nothing moves any more.
        for (let moved = true; moved; ) {
          moved = false;
          for (const one of ideas) {
            const parent = one.parent === undefined ? undefined : byId.get(one.parent);
            if (
              !started.has(one.id) &&
              one.dependsOn.every((d) => ended.has(d)) &&
              (!parent || started.has(parent.id))
            ) {
              started.add(one.id);
              moved = true;
            }
            const children = ideas.filter((child) => child.parent === one.id);
            if (started.has(one.id) && !ended.has(one.id) && children.every((child) => ended.has(child.id))) {
              ended.add(one.id);
              moved = true;
            }
          }
        }
        expect(validateIdeas(ideas).length === 0).toBe(ended.size === ideas.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('shortens a long cycle', () => {
    const ideas = Array.from({ length: 1000 }, (_, i) => idea(`t${i}`, [`t${(i + 1) % 1000}`]));
    const [message] = messages(ideas);
    expect(message).toMatch(/^dependency cycle: t0 -> t1 -> .* -> \(977 more\) -> .* -> t999 -> t0$/);
  });
});

it('names agents that are not configured', () => {
  const ideas = [
    { ...idea('a'), agent: 'codx' },
    { ...idea('b'), agent: 'codex' },
  ];
  expect(validateAgents(ideas, ['claude', 'codex'])).toEqual([
    {
      file: 'f',
      line: 1,
      message: '"a" names the agent "codx", which is not configured',
      fix: 'did you mean "codex"?',
    },
  ]);
});
