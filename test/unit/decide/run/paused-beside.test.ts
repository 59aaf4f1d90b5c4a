/** A paused idea gives its slot to others, and comes before new ideas when it resumes. */
import { describe, expect, test } from 'vitest';
import { pauseGivesSlotBack } from '../../../../src/decide/idea/slot-back.js';
import { Autopilot, firstState } from '../../../../src/decide/run/autopilot.js';
import { card, decided, pilotOf, say, settings, slotOf, statusOf } from '../support.js';

const RESTS = { beside: true } as const;

function began(slots: number, over: Parameters<typeof settings>[0] = {}): Autopilot {
  const cards = ['i-1', 'i-2', 'i-3', 'i-4'].map((id) => card(id));
  const pilot = pilotOf(cards, { slots, gatesBeside: 0, pausesBeside: true, ...over });
  decided(pilot);
  return pilot;
}

describe('A1 C1: slots hold agents', () => {
  test('the slot of a paused idea goes to the next one; it keeps its number', () => {
    const pilot = began(1);
    pilot.command({ verb: 'pause', idea: 'i-1' });
    expect(decided(pilot)).toEqual(['pause i-1']);
    say(pilot, 'i-1', 'paused', RESTS);
    expect(decided(pilot)).toEqual(['start i-2 @2']);
    expect([statusOf(pilot, 'i-1'), slotOf(pilot, 'i-1')]).toEqual(['paused', 1]);
  });

  test('it comes before new ideas when it resumes, also where its own words take a while', () => {
    const pilot = began(1);
    say(pilot, 'i-1', 'paused', RESTS);
    expect(decided(pilot)).toEqual(['start i-2 @2']);
    pilot.command({ verb: 'resume', idea: 'i-1' });
    expect(decided(pilot)).toEqual(['resume i-1']);
    say(pilot, 'i-2', 'ready');
    expect(decided(pilot)).toEqual(['land i-2']);
    say(pilot, 'i-1', 'wants-slot');
    expect(decided(pilot)).toEqual(['grant i-1 @1']);
    expect(statusOf(pilot, 'i-1')).toBe('running');
  });

  test('after a pause of the run, the ideas that worked get their slots back', () => {
    const pilot = began(2);
    pilot.pause('lunch');
    decided(pilot);
    for (const idea of ['i-1', 'i-2']) say(pilot, idea, 'paused', RESTS);
    expect(decided(pilot)).toEqual([]);
    pilot.resume();
    expect(decided(pilot)).toEqual(['resume i-1', 'resume i-2']);
    for (const idea of ['i-2', 'i-1']) say(pilot, idea, 'wants-slot');
    expect(decided(pilot)).toEqual(['grant i-2 @2', 'grant i-1 @1']);
  });

  test('one that is paused again before it asked holds nobody up', () => {
    const pilot = began(1);
    say(pilot, 'i-1', 'paused', RESTS);
    decided(pilot);
    pilot.command({ verb: 'resume', idea: 'i-1' });
    say(pilot, 'i-2', 'ready');
    expect(decided(pilot)).toEqual(['resume i-1', 'land i-2']);
    say(pilot, 'i-1', 'paused', RESTS);
    expect(decided(pilot)).toEqual(['start i-3 @2']);
  });

  describe('in a paused run', () => {
    function paused(slots: number): Autopilot {
      const pilot = began(slots);
      pilot.command({ verb: 'pause' });
      decided(pilot);
      for (const idea of ['i-1', 'i-2'].slice(0, slots)) say(pilot, idea, 'paused', RESTS);
      decided(pilot);
      expect(pilot.state.run).toBe('paused');
      return pilot;
    }

    test('one that a person resumes alone goes on, and the others rest', () => {
      const pilot = paused(2);
      pilot.command({ verb: 'resume', idea: 'i-1' });
      expect(decided(pilot)).toEqual(['resume i-1']);
      say(pilot, 'i-1', 'wants-slot');
      expect(decided(pilot)).toEqual(['grant i-1 @1']);
      // Its gate is red: it goes on.
      say(pilot, 'i-1', 'gating');
      say(pilot, 'i-1', 'wants-slot');
      expect(decided(pilot)).toEqual(['grant i-1 @1']);
      expect([statusOf(pilot, 'i-2'), pilot.state.run]).toEqual(['paused', 'paused']);
    });

    test('it rests again once a person pauses it, and no other that waits goes on beside it', () => {
      const pilot = paused(2);
      pilot.command({ verb: 'resume', idea: 'i-1' });
      pilot.command({ verb: 'pause', idea: 'i-1' });
      expect(decided(pilot)).toEqual(['resume i-1', 'pause i-1']);
      say(pilot, 'i-1', 'wants-slot');
      say(pilot, 'i-2', 'wants-slot');
      expect(decided(pilot)).toEqual([]);
      pilot.resume();
      expect(decided(pilot)).toEqual(['resume i-1', 'resume i-2', 'grant i-1 @1', 'grant i-2 @2']);
    });

    test('the next pause of the run holds it, too', () => {
      const pilot = paused(1);
      pilot.command({ verb: 'resume', idea: 'i-1' });
      pilot.resume();
      pilot.pause();
      decided(pilot);
      say(pilot, 'i-1', 'wants-slot');
      expect(decided(pilot)).toEqual([]);
    });

    test('a run that decided without that goes on as it did', () => {
      const all = settings({ slots: 1, gatesBeside: 0, pausesBeside: true });
      const opened = { agentsQueue: 'agents', gitQueue: 'git', target: 'main', cards: [card('i-1')], landed: [] };
      const pilot = new Autopilot(firstState(opened, all, 0), all, (rule) => rule !== 'alone-gets-a-slot');
      decided(pilot);
      pilot.pause();
      say(pilot, 'i-1', 'paused', RESTS);
      pilot.command({ verb: 'resume', idea: 'i-1' });
      say(pilot, 'i-1', 'wants-slot');
      expect(decided(pilot)).toEqual(['pause i-1', 'resume i-1']);
    });
  });

  test('one that says nothing about it keeps its slot, as in older runs', () => {
    const pilot = began(1);
    say(pilot, 'i-1', 'paused');
    expect(decided(pilot)).toEqual([]);
  });

  test('mode step, waves and older runs keep the slot', () => {
    const on = { pausesBeside: true, gatesBeside: 0 } as const;
    expect(pauseGivesSlotBack(on, {})).toBe(true);
    expect(pauseGivesSlotBack(on, { step: true })).toBe(false);
    expect(pauseGivesSlotBack({ ...on, waves: { maxWaves: 1, batchSize: 1 } }, {})).toBe(false);
    expect(pauseGivesSlotBack({ pausesBeside: true }, {})).toBe(false);
    expect(pauseGivesSlotBack({ gatesBeside: 0 }, {})).toBe(false);
  });
});
