import { expect, test } from 'vitest';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { PLACE_MS } from '../../../../src/decide/run/places.js';
import type { LandResult } from '../../../../src/protocol/git-work.js';
import type { RunSettings } from '../../../../src/protocol/run-settings.js';
import { brief, card, closed, conflictResult, decided, landedResult, pilotOf, say, statusOf } from '../support.js';

const waits = (behind: string, files = ['a.ts']): LandResult => ({ kind: 'waits-place', behind, files, durationMs: 1 });
const conflictOn = (onto: string, files = ['a.ts']): LandResult => ({ ...conflictResult(files), onto });
const at = (pilot: Autopilot, now: number): string[] => brief(pilot.decide(false, now));

/** `a` came back from a conflict and works again; `b` is about to land. */
function conflicted(over: Partial<RunSettings> = {}): Autopilot {
  const pilot = pilotOf([card('a'), card('b'), card('c')], over);
  at(pilot, 0);
  say(pilot, 'a', 'ready');
  at(pilot, 0);
  pilot.landed('a', conflictOn('tip-1'), 1000);
  expect(at(pilot, 1000)).toContain('reopen a');
  say(pilot, 'b', 'ready');
  expect(at(pilot, 1000)).toEqual(['land b']);
  return pilot;
}

const placesOf = (pilot: Autopilot, idea: string, now = 1000) => {
  const entry = pilot.graph.entry(idea);
  return entry && pilot.placesBefore(entry, now).places;
};

test('D1: what touches the files of a conflict lands after the idea that came back from it', () => {
  const pilot = conflicted();
  expect(placesOf(pilot, 'b')).toEqual([{ idea: 'a', files: ['a.ts'] }]);
  pilot.landed('b', waits('a'), 2000);
  expect(at(pilot, 2000)).toEqual([]);
  expect(pilot.graph.entry('b')).toMatchObject({
    status: 'landing',
    reason: 'done; it lands after a, which came back from a conflict in a.ts',
  });
  // What touches other files does not wait.
  say(pilot, 'c', 'ready');
  expect(at(pilot, 2000)).toEqual(['land c']);
  pilot.landed('c', landedResult());
  at(pilot, 2000);
  say(pilot, 'a', 'ready');
  expect(at(pilot, 3000)).toEqual(['land a']);
  // Nobody's place is before its own.
  expect(placesOf(pilot, 'a')).toBeUndefined();
  pilot.landed('a', landedResult());
  expect(at(pilot, 4000)).toEqual(['landed a', 'land b']);
  expect(placesOf(pilot, 'b')).toBeUndefined();
  expect(pilot.graph.entry('b')?.reason).toBeUndefined();
});

test('D1: an idea that came back goes to the front of the landing queue, behind the landing under way', () => {
  const pilot = pilotOf([card('a'), card('b'), card('c'), card('d')], { slots: 4 });
  at(pilot, 0);
  say(pilot, 'a', 'ready');
  at(pilot, 0);
  pilot.landed('a', conflictOn('tip-1'), 0);
  for (const idea of ['b', 'c', 'd']) say(pilot, idea, 'ready');
  at(pilot, 0);
  say(pilot, 'a', 'ready');
  expect(pilot.state.lane).toEqual(['b', 'a', 'c', 'd']);
});

test('D1: a place ends by itself, wakes the run then, and is asked for no longer', () => {
  const pilot = conflicted();
  pilot.landed('b', waits('a'), 2000);
  at(pilot, 2000);
  expect(pilot.wakeAt()).toBe(1000 + PLACE_MS);
  expect(at(pilot, 999 + PLACE_MS)).toEqual([]);
  expect(at(pilot, 1000 + PLACE_MS)).toEqual(['land b']);
  expect(placesOf(pilot, 'b', 1000 + PLACE_MS)).toBeUndefined();
  expect(pilot.wakeAt()).toBeUndefined();
});

test.each(['needs-human', 'closed', 'paused'] as const)('D1: an idea that is %s holds up nobody', (kind) => {
  const pilot = conflicted();
  pilot.landed('b', waits('a'), 2000);
  if (kind === 'closed') closed(pilot, 'a', 'failed');
  else say(pilot, 'a', kind, { reason: 'which one?' });
  expect(at(pilot, 2000)).toContain('land b');
});

test('D1: an idea that is stuck holds up nobody, and neither does one that is done and paused', () => {
  const stuck = conflicted();
  stuck.landed('b', waits('a'), 2000);
  expect(at(stuck, 2000)).toEqual([]);
  say(stuck, 'a', 'warnings', { warnings: [{ kind: 'iterations', text: '40 of 50 iterations used', since: 1 }] });
  expect(at(stuck, 2000)).toEqual([]);
  say(stuck, 'a', 'warnings', {
    warnings: [{ kind: 'stuck', text: 'the last 5 iterations made no progress', since: 1 }],
  });
  expect(at(stuck, 2000)).toEqual(['land b']);
  expect(placesOf(stuck, 'b', 2000)).toBeUndefined();

  const paused = conflicted();
  paused.landed('b', waits('a'), 2000);
  paused.command({ verb: 'pause', idea: 'a' });
  expect(at(paused, 2000)).toEqual(['pause a']);
  say(paused, 'a', 'ready');
  expect(at(paused, 2000)).toEqual(['land b']);
});

test('D1: the wait behind another idea is told in the logs, once', () => {
  const pilot = conflicted();
  pilot.takeChanges(1000);
  pilot.landed('b', waits('a'), 2000);
  at(pilot, 2000);
  at(pilot, 3000);
  expect(pilot.takeChanges(3000)).toMatchObject([{ card: { id: 'b' }, status: 'landing', behind: 'a' }]);
});

test('D1: of two places the older goes first, so that none waits for the other', () => {
  const pilot = conflicted();
  pilot.landed('b', conflictOn('tip-1', ['b.ts']), 2000);
  at(pilot, 2000);
  expect(placesOf(pilot, 'a', 2000)).toBeUndefined();
  expect(placesOf(pilot, 'b', 2000)).toEqual([{ idea: 'a', files: ['a.ts'] }]);
  expect(placesOf(pilot, 'c', 2000)?.map(({ idea }) => idea)).toEqual(['a', 'b']);
});

test('D1: a round on another tip than its agent got does not count, a limited number of times', () => {
  const pilot = pilotOf([card('a')], { maxLandingRounds: 1 });
  at(pilot, 0);
  for (let n = 1; n <= 7; n++) {
    say(pilot, 'a', 'ready');
    at(pilot, 0);
    pilot.landed('a', conflictOn(`tip-${n}`), 0);
    expect(at(pilot, 0), `round ${n}`).toEqual(['reopen a']);
  }
  say(pilot, 'a', 'ready');
  at(pilot, 0);
  pilot.landed('a', conflictOn('tip-8'), 0);
  expect(at(pilot, 0)).toEqual(['ask a']);
});

test('D1: the rounds that fail on the tip its agent got count as ever', () => {
  const pilot = pilotOf([card('a')], { maxLandingRounds: 1 });
  at(pilot, 0);
  const fails = (onto: string): string[] => {
    say(pilot, 'a', 'ready');
    at(pilot, 0);
    pilot.landed('a', conflictOn(onto), 0);
    return at(pilot, 0);
  };
  expect(fails('tip-1')).toEqual(['reopen a']);
  expect(fails('tip-2')).toEqual(['reopen a']);
  expect(fails('tip-2')).toEqual(['ask a']);
});

test('D2: pull requests keep no places: the forge merges them', () => {
  const pilot = conflicted({ delivery: { mode: 'pr' } as NonNullable<RunSettings['delivery']> });
  expect(placesOf(pilot, 'b')).toBeUndefined();
});

test('D1: a stopping run lands what waited behind an idea that ends', () => {
  const pilot = conflicted();
  pilot.landed('b', waits('a'), 2000);
  at(pilot, 2000);
  pilot.stop('a person');
  closed(pilot, 'a', 'stopped');
  expect(at(pilot, 2000)).toContain('land b');
  expect(statusOf(pilot, 'a')).toBe('pending');
  expect(decided(pilot)).toEqual([]);
});
