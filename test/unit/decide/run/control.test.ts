import { describe, expect, test } from 'vitest';
import { card, closed, conflictResult, decided, landedResult, pilotOf, say, statusOf } from '../support.js';

const ideas = (count: number) => Array.from({ length: count }, (_, at) => card(`i${at + 1}`));

describe('C1 pause and resume', () => {
  test('C1: pausing lasts until nobody is busy; nothing starts meanwhile', () => {
    const pilot = pilotOf(ideas(5));
    decided(pilot);
    pilot.pause('lunch');
    expect(decided(pilot)).toEqual(['pause i1', 'pause i2', 'pause i3']);
    expect(pilot.state).toMatchObject({ run: 'pausing', why: 'lunch' });
    say(pilot, 'i1', 'paused');
    closed(pilot, 'i2', 'blocked');
    expect(decided(pilot)).toEqual([]);
    expect(pilot.state.run).toBe('pausing');
    say(pilot, 'i3', 'paused');
    expect(decided(pilot)).toEqual([]);
    expect(pilot.state.run).toBe('paused');
    expect(pilot.isOver()).toBe(false);
    pilot.resume();
    expect(pilot.state.why).toBeUndefined();
    expect(decided(pilot)).toEqual(['resume i1', 'resume i3', 'start i4 @2']);
    expect(statusOf(pilot, 'i1')).toBe('paused');
    say(pilot, 'i1', 'resumed');
    expect(statusOf(pilot, 'i1')).toBe('running');
  });

  test('C1: a landing in flight is waited for, the next one does not begin', () => {
    const pilot = pilotOf(ideas(2));
    decided(pilot);
    say(pilot, 'i1', 'ready');
    say(pilot, 'i2', 'ready');
    decided(pilot);
    pilot.pause();
    expect(decided(pilot)).toEqual([]);
    expect(pilot.state.run).toBe('pausing');
    pilot.landed('i1', landedResult());
    expect(decided(pilot)).toEqual(['landed i1']);
    expect(pilot.state).toMatchObject({ run: 'paused', lane: ['i2'] });
    pilot.resume();
    expect(decided(pilot)).toContain('land i2');
  });

  test('C1: an idea that finishes while the run pauses is told to forget the pause', () => {
    const pilot = pilotOf(ideas(1));
    decided(pilot);
    pilot.pause();
    expect(decided(pilot)).toEqual(['pause i1']);
    say(pilot, 'i1', 'ready');
    expect(decided(pilot)).toEqual(['resume i1']);
    pilot.resume();
    expect(decided(pilot)).toEqual(['land i1']);
    pilot.landed('i1', conflictResult());
    expect(decided(pilot)).toEqual(['reopen i1']);
  });

  test('C1: what bounces or is answered during a pause waits for the resume', () => {
    const pilot = pilotOf(ideas(2));
    decided(pilot);
    say(pilot, 'i1', 'ready');
    say(pilot, 'i2', 'needs-human', { reason: '?' });
    decided(pilot);
    pilot.pause();
    pilot.landed('i1', conflictResult());
    say(pilot, 'i2', 'wants-slot');
    expect(decided(pilot)).toEqual(['pause i2']);
    expect(pilot.state.run).toBe('paused');
    pilot.resume();
    expect(decided(pilot)).toEqual(['resume i1', 'resume i2', 'reopen i1', 'grant i2 @2']);
  });

  test('C1: levers that make no sense change nothing', () => {
    const pilot = pilotOf(ideas(1));
    pilot.resume();
    expect(pilot.state.run).toBe('running');
    pilot.pause('first');
    pilot.pause('second');
    expect(pilot.state.why).toBe('first');
    pilot.stop('enough');
    pilot.pause('no');
    pilot.resume();
    pilot.stop('again');
    expect(pilot.state).toMatchObject({ run: 'stopping', why: 'enough' });
  });

  test('C1: resume in a running run wakes ideas that were paused one by one', () => {
    const pilot = pilotOf(ideas(2));
    decided(pilot);
    say(pilot, 'i2', 'paused');
    pilot.resume();
    expect(decided(pilot)).toEqual(['resume i2']);
  });

  test('C1: a paused idea keeps its slot', () => {
    const pilot = pilotOf(ideas(3), { slots: 1 });
    decided(pilot);
    say(pilot, 'i1', 'paused');
    expect(decided(pilot)).toEqual([]);
  });
});

describe('C1 stop', () => {
  test('C1 B4: stop drains: ideas are told once, end, and are pending again; nothing new starts', () => {
    const pilot = pilotOf(ideas(5));
    decided(pilot);
    pilot.stop('enough');
    expect(decided(pilot)).toEqual(['stop i1', 'stop i2', 'stop i3']);
    for (const idea of ['i1', 'i2', 'i3']) closed(pilot, idea, 'stopped');
    expect(decided(pilot)).toEqual([]);
    expect(pilot.state.entries.map((entry) => entry.status)).toEqual(Array(5).fill('pending'));
    expect(pilot.isOver()).toBe(true);
  });

  test('C1 D1: finished work still lands during a stop', () => {
    const pilot = pilotOf(ideas(2));
    decided(pilot);
    say(pilot, 'i1', 'ready');
    say(pilot, 'i2', 'ready');
    decided(pilot);
    pilot.stop();
    expect(decided(pilot)).toEqual([]);
    expect(pilot.isOver()).toBe(false);
    pilot.landed('i1', landedResult());
    expect(decided(pilot)).toEqual(['landed i1', 'land i2']);
    pilot.landed('i2', landedResult());
    expect(decided(pilot)).toEqual(['landed i2']);
    expect(pilot.isOver()).toBe(true);
  });

  test.each([
    ['a conflict', 2],
    ['the last allowed conflict', 0],
  ])('C1 D1: %s during a stop ends the idea and asks nobody', (_name, maxLandingRounds) => {
    const pilot = pilotOf(ideas(1), { maxLandingRounds });
    decided(pilot);
    say(pilot, 'i1', 'ready');
    decided(pilot);
    pilot.stop();
    pilot.landed('i1', conflictResult());
    expect(decided(pilot)).toEqual(['stop i1']);
    closed(pilot, 'i1', 'stopped');
    expect(statusOf(pilot, 'i1')).toBe('pending');
    expect(pilot.isOver()).toBe(true);
  });

  test('C1 D1: a landing that breaks down during a stop does not hold the stop up', () => {
    const pilot = pilotOf(ideas(1));
    decided(pilot);
    say(pilot, 'i1', 'ready');
    decided(pilot);
    pilot.stop();
    pilot.landingFailed('i1', 'disk full');
    expect(decided(pilot)).toEqual(['ask i1', 'stop i1']);
    closed(pilot, 'i1', 'stopped');
    expect(pilot.isOver()).toBe(true);
  });

  test('C1: those who wait for a slot or a person are told too, also when they ask only now', () => {
    const pilot = pilotOf(ideas(4), { slots: 2 });
    decided(pilot);
    say(pilot, 'i1', 'needs-human', { reason: '?' });
    say(pilot, 'i2', 'needs-human', { reason: '?' });
    decided(pilot);
    say(pilot, 'i2', 'wants-slot');
    pilot.stop();
    expect(decided(pilot).sort()).toEqual(['stop i1', 'stop i2', 'stop i3', 'stop i4']);
    expect(pilot.state.waiting).toEqual([]);
    say(pilot, 'i1', 'wants-slot');
    expect(decided(pilot)).toEqual(['stop i1']);
    expect(pilot.isOver()).toBe(false);
  });

  test('C1: stop works on a paused run', () => {
    const pilot = pilotOf(ideas(1));
    decided(pilot);
    pilot.pause();
    decided(pilot);
    say(pilot, 'i1', 'paused');
    decided(pilot);
    pilot.stop();
    expect(decided(pilot)).toEqual(['stop i1']);
    closed(pilot, 'i1', 'stopped');
    expect(pilot.isOver()).toBe(true);
  });
});

describe('A7 consecutive failures', () => {
  test('A7: the threshold pauses the run and says why; a resume is not enough, a review starts counting anew', () => {
    const pilot = pilotOf(ideas(8), { slots: 1 });
    for (const idea of ['i1', 'i2', 'i3']) {
      decided(pilot);
      closed(pilot, idea, 'failed');
    }
    expect(decided(pilot)).toEqual([]);
    expect(pilot.state).toMatchObject({
      run: 'paused',
      why: '3 ideas failed one after another; look at them, then resume with: ralphctl review',
      review: true,
      failuresInARow: 3,
    });
    pilot.resume();
    expect(pilot.state.run).toBe('paused');
    pilot.review();
    expect(pilot.state).not.toHaveProperty('review');
    expect(decided(pilot)).toEqual(['start i4 @1']);
    closed(pilot, 'i4', 'failed');
    expect(decided(pilot)).toEqual(['start i5 @1']);
  });

  test('A7: a landing in between starts the count anew; blocked and timeout are no failures', () => {
    const pilot = pilotOf(ideas(9), { slots: 1 });
    const one = (idea: string, outcome: 'failed' | 'blocked' | 'timeout'): void => {
      decided(pilot);
      closed(pilot, idea, outcome);
    };
    one('i1', 'failed');
    one('i2', 'failed');
    one('i3', 'blocked');
    one('i4', 'timeout');
    expect(pilot.state.failuresInARow).toBe(2);
    decided(pilot);
    say(pilot, 'i5', 'ready');
    decided(pilot);
    pilot.landed('i5', landedResult());
    expect(pilot.state.failuresInARow).toBe(0);
    closed(pilot, 'i6', 'failed');
    expect(pilot.state.run).toBe('running');
  });

  test('A7: a threshold of 0 never pauses', () => {
    const pilot = pilotOf(ideas(6), { slots: 1, errorThreshold: 0 });
    for (let at = 1; at <= 5; at++) {
      decided(pilot);
      closed(pilot, `i${at}`, 'failed');
    }
    expect(pilot.state.run).toBe('running');
  });

  test('A7: the failure that pauses the run tells the others', () => {
    const pilot = pilotOf(ideas(4), { errorThreshold: 1 });
    decided(pilot);
    closed(pilot, 'i2', 'failed');
    expect(decided(pilot)).toEqual(['pause i1', 'pause i3']);
  });

  test('B7: with the strategy abort one failure stops the run', () => {
    const pilot = pilotOf(ideas(4), { errorStrategy: 'abort' });
    decided(pilot);
    closed(pilot, 'i1', 'failed');
    expect(decided(pilot)).toEqual(['stop i2', 'stop i3']);
    expect(pilot.state.why).toContain('i1 failed');
  });
});
