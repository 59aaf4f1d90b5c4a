import { describe, expect, test } from 'vitest';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import type { IdeaStatus } from '../../../../src/protocol/states.js';
import { card, closed, conflictResult, decided, pilotOf, say, slotOf, stats, statusOf, workOf } from '../support.js';

const three = ['a', 'b', 'c'].map((id) => card(id));

describe('C5 waiting for a person', () => {
  test('C5: a question frees the slot, the answer regains one before new ideas', () => {
    const pilot = pilotOf(three, { slots: 1 });
    decided(pilot);
    say(pilot, 'a', 'needs-human', { reason: 'which port?' });
    expect(pilot.graph.entry('a')).toMatchObject({ status: 'needs-human', reason: 'which port?' });
    expect(decided(pilot)).toEqual(['start b @1']);
    say(pilot, 'a', 'wants-slot');
    say(pilot, 'a', 'wants-slot');
    expect(pilot.state.waiting).toEqual(['a']);
    expect(decided(pilot)).toEqual([]);
    closed(pilot, 'b', 'blocked');
    expect(decided(pilot)).toEqual(['grant a @1']);
    expect(statusOf(pilot, 'c')).toBe('pending');
  });

  test('C5: while somebody waits for a person the run is not over, others go on', () => {
    const pilot = pilotOf([card('a'), card('b')], { slots: 1 });
    decided(pilot);
    say(pilot, 'a', 'needs-human');
    decided(pilot);
    closed(pilot, 'b', 'blocked');
    expect(decided(pilot)).toEqual([]);
    expect(pilot.isOver()).toBe(false);
    expect(pilot.graph.entry('a')?.reason).toBe('it asks for a person');
  });

  test('C5: an answer that overtakes its question still gets a slot', () => {
    const pilot = pilotOf(three, { slots: 1 });
    decided(pilot);
    say(pilot, 'a', 'wants-slot', { seq: 2 });
    say(pilot, 'a', 'needs-human', { seq: 1 });
    expect(decided(pilot)).toEqual(['grant a @1']);
  });
});

describe('duplicate, late and foreign reports', () => {
  test('a report that comes again or late changes nothing', () => {
    const pilot = pilotOf(three);
    decided(pilot);
    const asked = say(pilot, 'a', 'needs-human', { reason: '?' });
    const answered = say(pilot, 'a', 'wants-slot');
    expect(decided(pilot)).toEqual(['grant a @1']);
    const before = JSON.stringify(pilot.state);
    pilot.report(asked);
    pilot.report(answered);
    pilot.report({ ...asked, kind: 'ready', work: workOf('a') });
    expect(JSON.stringify(pilot.state)).toBe(before);
  });

  test('a report of an earlier life changes nothing, nor does the end of that child', () => {
    const pilot = pilotOf(three, { slots: 1 });
    decided(pilot);
    const first = closed(pilot, 'a', 'stopped');
    decided(pilot);
    expect(pilot.graph.entry('a')).toMatchObject({ status: 'running', life: 2, seq: 0 });
    pilot.report({ ...first, seq: 99 });
    pilot.report({ ...first, kind: 'ready', work: workOf('a'), seq: 100 });
    pilot.childEnded('a', 'stopped', undefined, 1);
    expect(statusOf(pilot, 'a')).toBe('running');
    pilot.childEnded('a', 'failed', 'terminated', 2);
    expect(statusOf(pilot, 'a')).toBe('failed');
  });

  test('reports about ideas that are unknown, not started or over change nothing', () => {
    const pilot = pilotOf(three, { slots: 1 });
    decided(pilot);
    closed(pilot, 'a', 'blocked');
    const before = JSON.stringify(pilot.state);
    for (const idea of ['ghost', 'a', 'b']) {
      pilot.report({ idea, life: 1, seq: 9, kind: 'ready', work: workOf(idea), iterations: stats(1) });
      pilot.report({ idea, life: 0, seq: 9, kind: 'wants-slot', iterations: stats(1) });
    }
    pilot.childEnded('ghost', 'failed');
    pilot.childEnded('a', 'failed');
    pilot.adopted('ghost');
    pilot.adopted('a');
    pilot.landed('ghost', conflictResult());
    expect(JSON.stringify(pilot.state)).toBe(before);
  });

  test('while an idea is landing only its end or its landing move it', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    say(pilot, 'a', 'ready');
    decided(pilot);
    for (const kind of ['ready', 'needs-human', 'wants-slot', 'paused', 'resumed'] as const) say(pilot, 'a', kind);
    expect(pilot.state).toMatchObject({ lane: ['a'], landing: 'a', waiting: [] });
    expect(statusOf(pilot, 'a')).toBe('landing');
  });

  test('nobody runs without a slot, whatever is reported', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    say(pilot, 'a', 'needs-human');
    say(pilot, 'a', 'resumed');
    say(pilot, 'a', 'paused');
    expect(statusOf(pilot, 'a')).toBe('needs-human');
  });

  test('an idea that claims to have landed by itself has failed', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    pilot.childEnded('a', 'landed');
    expect(statusOf(pilot, 'a')).toBe('failed');
  });

  test('messages to a child that ended in the same moment do not go to its successor', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    say(pilot, 'a', 'paused');
    pilot.resume();
    closed(pilot, 'a', 'stopped');
    expect(decided(pilot)).toEqual(['start a @1']);
  });

  test('A8: iterations of a child are counted once, also when it ends and starts again', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    say(pilot, 'a', 'needs-human', { iterations: stats(2) });
    closed(pilot, 'a', 'stopped');
    pilot.childEnded('a', 'stopped');
    decided(pilot);
    say(pilot, 'a', 'needs-human', { iterations: stats(3) });
    pilot.childEnded('a', 'failed');
    expect(pilot.state.totals.iterations.count).toBe(1 + 3);
  });

  test('a reason is cut to what ten thousand ideas can carry', () => {
    const pilot = pilotOf(three);
    decided(pilot);
    closed(pilot, 'a', 'blocked', 'x'.repeat(5000));
    say(pilot, 'b', 'needs-human', { reason: 'y'.repeat(5000) });
    expect(pilot.graph.entry('a')?.reason?.length).toBe(300);
    expect(pilot.graph.entry('b')?.reason?.length).toBe(1000);
  });
});

describe('a child that is terminated', () => {
  const reach: Record<
    Exclude<IdeaStatus, 'pending' | 'landed' | 'blocked' | 'timeout' | 'failed' | 'skipped' | 'abandoned'>,
    (p: Autopilot) => void
  > = {
    running: () => {},
    paused: (p) => say(p, 'a', 'paused'),
    'needs-human': (p) => say(p, 'a', 'needs-human'),
    'wants-slot': (p) => {
      say(p, 'a', 'needs-human');
      decided(p);
      say(p, 'a', 'wants-slot');
    },
    landing: (p) => {
      say(p, 'b', 'ready');
      decided(p);
      say(p, 'a', 'ready');
    },
  };

  test.each(Object.entries(reach))(
    'C6: while it is %s it fails, leaves every queue and frees its slot',
    (status, get) => {
      const pilot = pilotOf([card('b'), card('a'), card('c'), card('d')], { slots: 2 });
      decided(pilot);
      get(pilot);
      decided(pilot);
      expect(statusOf(pilot, 'a')).toBe(status);
      pilot.childEnded('a', 'failed', 'its workflow ended: terminated');
      decided(pilot);
      expect(pilot.graph.entry('a')).toMatchObject({ status: 'failed', reason: 'its workflow ended: terminated' });
      expect(slotOf(pilot, 'a')).toBeUndefined();
      expect([...pilot.state.lane, ...pilot.state.waiting]).not.toContain('a');
      const held = pilot.openIdeas().filter((entry) => entry.slot !== undefined);
      expect(held).toHaveLength(2);
      expect(pilot.isOpen('a')).toBe(false);
    },
  );
});

test('C5: the reason of a failed idea has the command of a long error whole', () => {
  const pilot = pilotOf([card('a')]);
  decided(pilot);
  const fix = `Move it away: mv '/${'a'.repeat(150)}' '/${'b'.repeat(150)}'`;
  pilot.childEnded('a', 'failed', `The worktree is broken. ${fix}`);
  expect(pilot.graph.entry('a')?.reason).toBe(`The worktree is broken. ${fix}`);
});

describe('adoption', () => {
  test('C6: an open child of an earlier run is told how this run stands, and its report says where it is', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    pilot.adopted('a');
    expect(decided(pilot)).toEqual(['resume a']);
    expect(pilot.graph.entry('a')?.life).toBe(-1);
    pilot.report({ idea: 'a', life: 7, seq: 12, kind: 'ready', work: workOf('a'), iterations: stats(4) });
    expect(pilot.graph.entry('a')).toMatchObject({ life: 7, seq: 12, status: 'landing' });
    pilot.report({ idea: 'a', life: 6, seq: 13, kind: 'closed', outcome: 'failed', iterations: stats(4) });
    expect(decided(pilot)).toEqual(['land a']);
  });

  test.each([
    ['pausing', (pilot: Autopilot) => pilot.pause(), 'pause a'],
    ['stopping', (pilot: Autopilot) => pilot.stop(), 'stop a'],
  ])('C6: an adoption while the run is %s brings the child into line', (_name, lever, told) => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    lever(pilot);
    decided(pilot);
    pilot.adopted('a');
    expect(decided(pilot)).toEqual([told]);
  });

  test('C6: an adopted child that is gone without a word ends, whatever life it had', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    pilot.adopted('a');
    pilot.childEnded('a', 'failed', 'its workflow is gone', 1);
    expect(statusOf(pilot, 'a')).toBe('failed');
  });

  test('C6: an adopted child that asks frees its slot, one that paused keeps it', () => {
    const pilot = pilotOf([card('a'), card('b'), card('c')], { slots: 2 });
    decided(pilot);
    pilot.adopted('a');
    pilot.adopted('b');
    decided(pilot);
    pilot.report({ idea: 'a', life: 3, seq: 4, kind: 'needs-human', reason: '?', iterations: stats(1) });
    pilot.report({ idea: 'b', life: 2, seq: 4, kind: 'paused', iterations: stats(1) });
    expect(decided(pilot)).toEqual(['start c @1']);
    expect(slotOf(pilot, 'b')).toBe(2);
  });
});
