/** A pause of one idea that comes in its last iteration: its work is done, and lands only once it resumes. */
import { describe, expect, test } from 'vitest';
import { Autopilot } from '../../../../src/decide/run/autopilot.js';
import {
  brief,
  card,
  closed,
  conflictResult,
  decided,
  landedResult,
  pilotOf,
  say,
  settings,
  statusOf,
} from '../support.js';

const DONE = 'its work is done; it lands once it resumes: ralphctl resume a';

/** `a` was paused in its last iteration, and its gate is green. */
function paused(): Autopilot {
  const pilot = pilotOf([card('a'), card('b'), card('c')], { slots: 2 });
  decided(pilot);
  pilot.command({ verb: 'pause', idea: 'a' });
  expect(decided(pilot)).toEqual(['pause a']);
  say(pilot, 'a', 'ready');
  return pilot;
}

describe('C1: finished work of a paused idea', () => {
  test('does not land, holds no slot and nobody up, and is told as paused', () => {
    const pilot = paused();
    expect(decided(pilot)).toEqual(['start c @1']);
    expect(pilot.graph.entry('a')).toMatchObject({ status: 'paused', reason: DONE });
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).toEqual(['land b']);
    pilot.landed('b', landedResult());
    expect(decided(pilot)).toEqual(['landed b']);
    expect(pilot.isOver()).toBe(false);
  });

  test.each(['a', undefined])('lands after resume %s', (idea) => {
    const pilot = paused();
    decided(pilot);
    pilot.command({ verb: 'resume', ...(idea ? { idea } : {}) });
    expect(decided(pilot)).toEqual(['resume a', 'land a']);
    expect(pilot.graph.entry('a')?.reason).toBeUndefined();
    pilot.landed('a', conflictResult());
    expect(decided(pilot)).not.toContain('pause a');
  });

  test('a paused run that resumes resumes it, too', () => {
    const pilot = paused();
    decided(pilot);
    pilot.pause();
    decided(pilot);
    expect(statusOf(pilot, 'a')).toBe('paused');
    pilot.resume();
    expect(decided(pilot)).toEqual(expect.arrayContaining(['resume a', 'land a']));
  });

  test('a stop of the run ends it: its work stays on its branch', () => {
    const pilot = paused();
    decided(pilot);
    pilot.stop();
    const said = pilot.decide(false).filter((one) => one.idea === 'a');
    expect(brief(said)).toEqual(['stop a']);
    expect(said[0]).toMatchObject({ args: undefined });
    closed(pilot, 'a', 'stopped');
    expect(statusOf(pilot, 'a')).toBe('pending');
  });

  test('and so does a stop that came before its gate', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    pilot.command({ verb: 'pause', idea: 'a' });
    pilot.stop();
    decided(pilot);
    say(pilot, 'a', 'ready');
    expect(pilot.decide(false)).toMatchObject([{ do: 'tell', idea: 'a', signal: 'stop', args: undefined }]);
  });

  test('with an approval due, in mode step, that is asked for after the resume', () => {
    const pilot = pilotOf([card('a')], { stepLanding: true });
    decided(pilot);
    pilot.command({ verb: 'mode', mode: 'step' });
    pilot.command({ verb: 'pause', idea: 'a' });
    decided(pilot);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual([]);
    pilot.command({ verb: 'resume', idea: 'a' });
    expect(decided(pilot)).toEqual(['resume a']);
    expect(pilot.graph.entry('a')).toMatchObject({ status: 'landing', approval: true });
    pilot.command({ verb: 'approve', idea: 'a' });
    expect(decided(pilot)).toEqual(['land a']);
  });

  test('a pause that was taken back does nothing', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    pilot.command({ verb: 'pause', idea: 'a' });
    pilot.command({ verb: 'resume', idea: 'a' });
    decided(pilot);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['land a']);
  });

  test('in a run of a version without the rule it lands', () => {
    const pilot = new Autopilot(pilotOf([card('a')]).state, settings(), (rule) => rule !== 'paused-work-waits');
    decided(pilot);
    pilot.command({ verb: 'pause', idea: 'a' });
    decided(pilot);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['land a']);
  });
});
