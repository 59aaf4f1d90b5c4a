import { describe, expect, test } from 'vitest';
import { withPossible } from '../../../../src/decide/views/possible.js';
import { ideaLine, runStatus, statistics } from '../../../../src/decide/views/status.js';
import { MAX_LISTED, survey, withUnreported } from '../../../../src/decide/views/survey.js';
import { why } from '../../../../src/decide/views/why.js';
import type { IdeaStatus, IterationStats } from '../../../../src/protocol/states.js';
import type { IdeaLine, IdeaView } from '../../../../src/protocol/views.js';
import {
  card,
  closed,
  conflictResult,
  decided,
  entryOf,
  landedResult,
  pilotOf,
  SETTINGS,
  say,
  stats,
} from '../support.js';

const REF = { project: 'p', runId: 'r' };
const statusView = (pilot: ReturnType<typeof pilotOf>, now = 60_000) =>
  runStatus(REF, pilot.state, SETTINGS, pilot.graph, now);

describe('A8 statistics', () => {
  test('A8: runtime, completed, failed, remaining, iterations and merges add up', () => {
    const ideas = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => card(id));
    const pilot = pilotOf([card('blue', { blue: true }), ...ideas], { slots: 7, errorThreshold: 0 });
    decided(pilot);
    say(pilot, 'a', 'ready', { iterations: { count: 2, totalMs: 3000, minMs: 1000, maxMs: 2000 } });
    say(pilot, 'b', 'ready', { iterations: stats(1, 4000) });
    decided(pilot);
    pilot.landed('a', conflictResult());
    decided(pilot);
    pilot.landed('b', landedResult());
    say(pilot, 'a', 'ready', { iterations: { count: 3, totalMs: 3500, minMs: 500, maxMs: 2000 } });
    decided(pilot);
    pilot.landed('a', landedResult());
    say(pilot, 'c', 'ready', { iterations: stats(0) });
    closed(pilot, 'd', 'failed');
    closed(pilot, 'e', 'blocked');
    closed(pilot, 'f', 'timeout');
    decided(pilot);
    expect(statistics(pilot.state, 60_000)).toEqual({
      runtimeMs: 60_000,
      startedAt: 0,
      landed: 2,
      failed: 3,
      remaining: 2,
      iterations: { total: 7, averageMs: 1500, fastestMs: 500, slowestMs: 4000 },
      merges: { landed: 2, conflictsResolved: 1, pending: 1 },
    });
  });

  test('A8: nothing done yet gives zeros, not NaN', () => {
    const { iterations } = statistics(pilotOf([]).state, 5);
    expect(iterations).toEqual({ total: 0, averageMs: 0, fastestMs: 0, slowestMs: 0 });
  });
});

describe('G9 status view', () => {
  test('G9: counts leave Blues out and name every status', () => {
    const statuses: IdeaStatus[] = [
      'running',
      'paused',
      'needs-human',
      'wants-slot',
      'landing',
      'landed',
      'blocked',
      'timeout',
      'failed',
      'skipped',
      'abandoned',
      'pending',
    ];
    const entries = statuses.map((status, at) => entryOf(card(`i${at}`), { status }));
    const { counts } = survey([...entries, entryOf(card('b', { blue: true }))]);
    expect(Object.keys(counts).sort()).toEqual([...statuses].sort());
    expect(Object.values(counts)).toEqual(Array(12).fill(1));
  });

  test('C4 C5: each idea that waits has the commands that apply to it, as `why` says them', () => {
    const pilot = pilotOf([card('b'), card('c'), card('d')]);
    decided(pilot);
    say(pilot, 'b', 'needs-human', { reason: 'which port?' });
    closed(pilot, 'c', 'blocked', 'no key');
    decided(pilot);
    const { attention } = withPossible(statusView(pilot), pilot.state, pilot.graph);
    expect(attention.map(({ id, possible }) => [id, possible])).toEqual(
      ['b', 'c'].map((id) => [id, why(id, SETTINGS, pilot.graph, pilot.state)?.possible]),
    );
    const [asks = [], blocked = []] = attention.map(({ possible }) => possible);
    expect(asks).toContain('answer');
    expect(asks).not.toContain('unblock');
    expect(blocked).toContain('unblock');
    expect(blocked).not.toContain('answer');
  });

  test('G9: the view of a run under way', () => {
    const pilot = pilotOf([card('a'), card('b'), card('c'), card('d'), card('e', { dependsOn: ['a'] })]);
    decided(pilot);
    say(pilot, 'a', 'ready');
    say(pilot, 'b', 'needs-human', { reason: 'which port?' });
    closed(pilot, 'c', 'blocked', 'no key');
    decided(pilot);
    expect(statusView(pilot)).toMatchObject({
      project: 'p',
      runId: 'r',
      state: 'running',
      target: 'main',
      slots: 3,
      total: 5,
      active: [
        { id: 'd', title: 'Idea d', status: 'running', agentName: 'ed-001' },
        { id: 'a', title: 'Idea a', status: 'landing' },
      ],
      attention: [
        { id: 'b', status: 'needs-human', reason: 'which port?' },
        { id: 'c', status: 'blocked', reason: 'no key' },
      ],
      lane: ['a'],
      landing: 'a',
      next: [],
    });
  });

  test('G9: at most ten come next, best first', () => {
    const cards = Array.from({ length: 20 }, (_, at) => card(`i${at}`, at === 19 ? { tags: ['critical'] } : {}));
    const pilot = pilotOf(cards, { slots: 1 });
    expect(statusView(pilot).next).toEqual(['i19', ...Array.from({ length: 9 }, (_, at) => `i${at}`)]);
  });

  test('G9: ten thousand failed ideas with long reasons still fit a payload, questions listed first', () => {
    const pilot = pilotOf([...Array.from({ length: 10_000 }, (_, at) => card(`i${at}`)), card('asks')], {
      slots: 10_001,
      errorThreshold: 0,
    });
    decided(pilot);
    for (const { card: one } of pilot.openIdeas()) {
      if (one.id === 'asks') say(pilot, one.id, 'needs-human', { reason: 'q'.repeat(2000) });
      else closed(pilot, one.id, 'failed', 'r'.repeat(2000));
    }
    const view = statusView(pilot);
    expect(view.attention).toHaveLength(MAX_LISTED);
    expect(view.attention[0]?.id).toBe('asks');
    expect(view.counts.failed).toBe(10_000);
    expect(JSON.stringify(view).length).toBeLessThan(200_000);
  });

  test('G9: a line leaves out what is not known', () => {
    expect(ideaLine(entryOf(card('a')))).toEqual({ id: 'a', title: 'Idea a', status: 'pending' });
  });
});

describe('G9 a run in which people are asked', () => {
  test('waits for you while nothing runs and nothing can start, and runs again with the answer', () => {
    const pilot = pilotOf([card('a'), card('b'), card('c', { dependsOn: ['a'] })], { slots: 2 });
    decided(pilot);
    say(pilot, 'a', 'needs-human', { reason: 'which port?' });
    expect(statusView(pilot).state).toBe('running');
    closed(pilot, 'b', 'blocked');
    expect(statusView(pilot)).toMatchObject({ state: 'waits for you', counts: { 'needs-human': 1 } });
    say(pilot, 'a', 'wants-slot');
    expect(statusView(pilot).state).toBe('running');
  });

  test('waits for you while an approval holds the only slot, whatever could start', () => {
    const pilot = pilotOf([card('a'), card('b')], { slots: 1, mode: 'step' });
    decided(pilot);
    expect(statusView(pilot).state).toBe('running');
    say(pilot, 'a', 'approval');
    expect(statusView(pilot)).toMatchObject({ state: 'waits for you', next: ['b'] });
  });

  test('is not waiting while an idea is ready to start, git works for one, or a person paused the run', () => {
    const pilot = pilotOf([card('a'), card('b')], { slots: 1 });
    decided(pilot);
    say(pilot, 'a', 'needs-human', { reason: '?' });
    expect(statusView(pilot).state).toBe('running');
    decided(pilot);
    closed(pilot, 'b', 'blocked');
    expect(statusView(pilot).state).toBe('waits for you');
    pilot.command({ verb: 'rollback', idea: 'b' });
    expect(statusView(pilot).state).toBe('running');
    pilot.pause('lunch');
    expect(statusView(pilot).state).not.toBe('waits for you');
  });
});

describe('C1 possible commands', () => {
  const possible = (pilot: ReturnType<typeof pilotOf>, id: string) =>
    why(id, SETTINGS, pilot.graph, pilot.state)?.possible ?? [];

  test('what would be refused is not offered for an idea, in why as in a refusal', () => {
    const pilot = pilotOf([card('a'), card('b')], { slots: 1 });
    decided(pilot);
    expect(possible(pilot, 'a')).not.toContain('resume');
    expect(possible(pilot, 'b')).not.toContain('assign');
    expect(pilot.commandProblem({ verb: 'retry', idea: 'a' })).not.toMatch(/resume/);
    say(pilot, 'a', 'paused');
    expect(possible(pilot, 'a')).toContain('resume');
    pilot.stop();
    expect(possible(pilot, 'a')).toEqual([]);
  });

  test('a resume that changes nothing is refused: an idea that waits for an approval needs that', () => {
    const pilot = pilotOf([card('a')], { mode: 'step' });
    decided(pilot);
    say(pilot, 'a', 'approval');
    expect(possible(pilot, 'a')).not.toContain('resume');
    expect(pilot.idleProblem({ verb: 'resume', idea: 'a' })).toBe('a waits for an approval: ralphctl approve a');
  });
});

describe('A2 why', () => {
  const pilot = pilotOf([
    card('a', { tags: ['critical'] }),
    card('b', { dependsOn: ['a', 'p'] }),
    card('p', { blue: true }),
    card('k', { parent: 'p' }),
    card('z', { dependsOn: ['ghost'] }),
  ]);
  const explain = (id: string) => why(id, SETTINGS, pilot.graph, pilot.state);

  test('A2: the sum, its parts and the place in the pool', () => {
    expect(explain('a')).toMatchObject({
      idea: 'a',
      title: 'Idea a',
      status: 'pending',
      score: 60,
      parts: [
        { label: 'unblocks 1 idea', value: 10 },
        { label: 'tag critical', value: 50 },
      ],
      rank: 1,
      waitsFor: [],
    });
    expect(explain('k')?.rank).toBe(2);
  });

  test('A3: what it waits for, in words', () => {
    expect(explain('b')).toMatchObject({ waitsFor: ['a (ready)', 'p (0 of 1 idea in it landed)'] });
    expect(explain('b')?.rank).toBeUndefined();
    expect(explain('z')?.waitsFor).toEqual(['ghost (unknown)']);
  });

  test('A2: an unknown idea is not explained', () => {
    expect(explain('nope')).toBeUndefined();
  });
});

describe('iterations that running ideas have not reported', () => {
  const line = (id: string, iterations?: IterationStats): IdeaLine => ({
    ...{ id, title: id, status: 'running' },
    ...(iterations ? { iterations } : {}),
  });
  const view = (idea: string, iterations?: IterationStats): IdeaView => ({
    ...{ idea, title: idea, phase: 'agent', agentName: 'ed-001', iteration: 1, activeMs: 0, commits: 0 },
    ...(iterations ? { iterations } : {}),
  });

  test('A8: are added once, beside those that were reported', () => {
    const pilot = pilotOf([card('a')]);
    const before = {
      ...statistics(pilot.state, 0),
      iterations: { total: 2, averageMs: 100, fastestMs: 80, slowestMs: 120 },
    };
    const lines = [line('a', stats(2, 100)), line('b'), line('c')];
    const views = [view('a', { count: 3, totalMs: 500, minMs: 80, maxMs: 300 }), view('b', stats(1, 60)), view('c')];
    expect(withUnreported(before, lines, views).iterations).toEqual({
      ...{ total: 4, averageMs: 140, fastestMs: 60, slowestMs: 300 },
    });
    expect(withUnreported(before, lines, [])).toEqual(before);
  });
});
