import { describe, expect, test } from 'vitest';
import { describeIdea } from '../../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../../src/client/views/idea-report.js';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { Graph } from '../../../../src/decide/scheduler/graph.js';
import { score, scoreParts } from '../../../../src/decide/scheduler/score.js';
import { ideaPage } from '../../../../src/decide/views/pages.js';
import { why } from '../../../../src/decide/views/why.js';
import { card, entryOf, landedResult, pilotOf, SETTINGS, say } from '../support.js';

const EPIC = [
  card('top', { blue: true }),
  card('epic', { blue: true, parent: 'top' }),
  card('a', { parent: 'epic' }),
  card('b', { parent: 'epic' }),
];

function land(pilot: Autopilot, idea: string): void {
  pilot.decide(false);
  say(pilot, idea, 'ready');
  pilot.decide(false);
  pilot.landed(idea, landedResult());
}

const told = (pilot: Autopilot) =>
  pilot
    .takeChanges(0)
    .filter(({ card: { blue } }) => blue)
    .map(({ card: { id }, status, reason }) => [id, status, ...(reason ? [reason] : [])]);

describe('A4 a Blue as people see it', () => {
  test('A4: that its last child has landed is told, from the inside out, and once', () => {
    const pilot = pilotOf(EPIC);
    land(pilot, 'a');
    expect(told(pilot)).toEqual([]);
    land(pilot, 'b');
    expect(told(pilot)).toEqual([
      ['epic', 'landed', '2 of 2 ideas in it landed'],
      ['top', 'landed', '1 of 1 idea in it landed'],
    ]);
    expect(told(pilot)).toEqual([]);
  });

  test('A4: that it waits again is told, after a new child', () => {
    const pilot = pilotOf(EPIC);
    land(pilot, 'a');
    land(pilot, 'b');
    pilot.takeChanges(0);
    pilot.enqueue([card('c', { parent: 'epic' })]);
    expect(told(pilot)).toEqual([
      ['top', 'pending'],
      ['epic', 'pending'],
    ]);
  });

  test('A4: a landing knows which Blues it completes, and an undo those above it', () => {
    const pilot = pilotOf(EPIC);
    expect(pilot.graph.completes('b')).toEqual([]);
    land(pilot, 'a');
    expect(pilot.graph.completes('b')).toEqual(['epic', 'top']);
    expect(pilot.graph.completes('a')).toEqual([]);
    pilot.enqueue([card('c', { parent: 'top' })]);
    expect(pilot.graph.completes('b')).toEqual(['epic']);
    expect(pilot.graph.above('b')).toEqual(['epic', 'top']);
    expect(pilot.graph.above('top')).toEqual([]);
  });

  test('A4: what was done when the run began is not told', () => {
    const pilot = pilotOf(EPIC, {}, ['a', 'b']);
    pilot.decide(false);
    expect(told(pilot)).toEqual([]);
  });

  test('A4 G9: it is listed with how many of its children are done, and by what that makes it', () => {
    const pilot = pilotOf(EPIC);
    land(pilot, 'a');
    const list = (only?: 'landed'[]) => ideaPage(pilot.state.entries, pilot.graph, only ? { only } : {}).lines;
    expect(list()).toMatchObject([
      { id: 'top', status: 'pending', group: { done: 0, total: 1 } },
      { id: 'epic', status: 'pending', group: { done: 1, total: 2 } },
      { id: 'a' },
      { id: 'b' },
    ]);
    expect(list(['landed']).map(({ id }) => id)).toEqual(['a']);
    land(pilot, 'b');
    expect(list(['landed']).map(({ id }) => id)).toEqual(['top', 'epic', 'a', 'b']);
    expect(list().at(2)).not.toHaveProperty('group', expect.anything());
  });

  test('A4 A2: why says which of its children landed and which are open', async () => {
    const pilot = pilotOf(EPIC);
    land(pilot, 'a');
    const lines = async (id: string): Promise<string> => {
      const view = why(id, SETTINGS, pilot.graph, pilot.state);
      if (!view) throw new Error(`no view of ${id}`);
      return describeIdea(await reportOn(view, { root: '/', project: 'p', over: true })).join('\n');
    };
    expect(await lines('epic')).toContain(
      'it groups 2 ideas, 1 landed; it is done when all have landed\nlanded: a\nopen: b (running)',
    );
    expect(await lines('top')).toContain('open: epic (1 of 2 ideas in it landed)');
    expect(await lines('epic')).not.toMatch(/score|ralphctl start/);
    expect(await lines('b')).toContain('score');
  });
});

describe('A2 what an idea unblocks through the Blues above it', () => {
  const entries = [
    ...EPIC,
    card('on-epic', { dependsOn: ['epic'] }),
    card('on-top', { dependsOn: ['top'] }),
    card('on-both', { dependsOn: ['a', 'epic', 'top'] }),
  ].map((one) => entryOf(one));
  const unblocks = (graph: Graph) => ['a', 'b', 'epic', 'on-top'].map((id) => graph.unblocks(id));

  test('A2: +10 for each idea that waits for a Blue above it, each counted once', () => {
    const graph = new Graph(entries, { unblocksThroughParents: true });
    expect(unblocks(graph)).toEqual([3, 3, 3, 0]);
    const [, , a] = entries;
    if (!a) throw new Error('no a');
    expect(score(a, graph, SETTINGS.weights)).toBe(30);
    expect(scoreParts(a, graph, SETTINGS.weights)).toEqual([{ label: 'unblocks 3 ideas', value: 30 }]);
  });

  test('A2: a run that began without it counts direct names alone, as before', () => {
    expect(unblocks(new Graph(entries))).toEqual([1, 0, 2, 0]);
  });

  test('A2: the run starts what others wait for through its Blue first', () => {
    const cards = [card('x'), ...EPIC, card('z', { dependsOn: ['top'] })];
    const first = (unblocksThroughParents?: true) => {
      const pilot = pilotOf(cards, { slots: 1, ...(unblocksThroughParents ? { unblocksThroughParents } : {}) });
      return pilot.decide(false).find(({ do: what }) => what === 'start')?.idea;
    };
    expect(first(true)).toBe('a');
    expect(first()).toBe('x');
  });
});
