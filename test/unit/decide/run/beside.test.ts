/** Gates beside the slots: who gives its slot back, who keeps its number, who comes next. */
import { describe, expect, test } from 'vitest';
import { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { MOST_NUMBERS } from '../../../../src/decide/scheduler/slots.js';
import { ideaLine } from '../../../../src/decide/views/status.js';
import { card, closed, decided, pilotOf, say, settings, slotOf, statusOf } from '../support.js';

const ideas = (count: number) => Array.from({ length: count }, (_, at) => card(`i-${at + 1}`));
const began = (count: number, over: Parameters<typeof settings>[0] = {}) => {
  const pilot = pilotOf(ideas(count), { slots: 2, gatesBeside: 0, ...over });
  decided(pilot);
  return pilot;
};
const isBeside = (pilot: Autopilot, idea: string): boolean => pilot.graph.entry(idea)?.beside === true;

describe('A1: slots hold agents, nothing else', () => {
  test('an idea whose gate begins gives its slot to the next one, and keeps its number', () => {
    const pilot = began(4);
    say(pilot, 'i-1', 'gating');
    expect(decided(pilot)).toEqual(['start i-3 @3']);
    expect([statusOf(pilot, 'i-1'), slotOf(pilot, 'i-1'), isBeside(pilot, 'i-1')]).toEqual(['running', 1, true]);
    say(pilot, 'i-1', 'ready');
    // Its number is free for the next one, its slot is taken.
    expect(decided(pilot)).toEqual(['land i-1']);
    say(pilot, 'i-2', 'gating');
    expect(decided(pilot)).toEqual(['start i-4 @1']);
  });

  test('a red gate asks for a slot again: before any new idea, under its number', () => {
    const pilot = began(4, { slots: 1 });
    say(pilot, 'i-1', 'gating');
    expect(decided(pilot)).toEqual(['start i-2 @2']);
    say(pilot, 'i-1', 'wants-slot');
    expect(decided(pilot)).toEqual([]);
    expect([statusOf(pilot, 'i-1'), slotOf(pilot, 'i-1')]).toEqual(['wants-slot', 1]);
    say(pilot, 'i-2', 'gating');
    expect(decided(pilot)).toEqual(['grant i-1 @1']);
    expect([statusOf(pilot, 'i-1'), isBeside(pilot, 'i-1')]).toEqual(['running', false]);
  });

  test('as many gates run beside the slots as may; the next idea holds its slot until one of them is over', () => {
    const pilot = began(4, { gatesBeside: 1 });
    for (const idea of ['i-1', 'i-2']) say(pilot, idea, 'gating');
    expect(decided(pilot)).toEqual(['start i-3 @3']);
    expect(['i-1', 'i-2'].map((idea) => isBeside(pilot, idea))).toEqual([true, false]);
    say(pilot, 'i-1', 'ready');
    expect(decided(pilot)).toEqual(['land i-1', 'start i-4 @1']);
    expect(isBeside(pilot, 'i-2')).toBe(true);
  });

  test('one that held its slot meanwhile gets it back at once', () => {
    const pilot = began(3, { gatesBeside: 1 });
    for (const idea of ['i-1', 'i-2']) say(pilot, idea, 'gating');
    decided(pilot);
    say(pilot, 'i-2', 'wants-slot');
    expect(decided(pilot)).toEqual(['grant i-2 @2']);
  });

  test('what ends beside the slots frees its number and nobody’s slot', () => {
    for (const end of [
      (pilot: Autopilot) => closed(pilot, 'i-1', 'failed'),
      (pilot: Autopilot) => say(pilot, 'i-1', 'needs-human', { reason: 'ok?' }),
      (pilot: Autopilot) => say(pilot, 'i-1', 'parked', { lost: 2 }),
    ]) {
      const pilot = began(4);
      say(pilot, 'i-1', 'gating');
      decided(pilot);
      end(pilot);
      expect(decided(pilot).filter((one) => one.startsWith('start'))).toEqual([]);
      expect([slotOf(pilot, 'i-1'), isBeside(pilot, 'i-1')]).toEqual([undefined, false]);
      say(pilot, 'i-2', 'gating');
      expect(decided(pilot)).toHaveLength(1);
    }
  });

  test('C1: a pause lets the gate end; a paused idea without a slot asks for one when it resumes', () => {
    const pilot = began(2, { slots: 1 });
    say(pilot, 'i-1', 'gating');
    decided(pilot);
    pilot.pause();
    decided(pilot);
    expect(pilot.state.run).toBe('pausing');
    say(pilot, 'i-1', 'paused');
    say(pilot, 'i-2', 'paused');
    decided(pilot);
    expect([pilot.state.run, isBeside(pilot, 'i-1')]).toEqual(['paused', true]);
    pilot.resume();
    for (const idea of ['i-1', 'i-2']) say(pilot, idea, 'resumed');
    say(pilot, 'i-1', 'wants-slot');
    expect(decided(pilot).filter((one) => !one.startsWith('resume'))).toEqual([]);
    say(pilot, 'i-2', 'needs-human', { reason: 'ok?' });
    expect(decided(pilot)).toEqual(['grant i-1 @1']);
  });

  test('a run that only gates does not stand still, whatever accounts are closed', () => {
    const agents = { default: 'claude', fallback: [], accounts: {} };
    const pilot = pilotOf(ideas(2), { slots: 1, gatesBeside: 0 }, [], { agents });
    decided(pilot);
    say(pilot, 'i-1', 'gating');
    decided(pilot);
    say(pilot, 'i-2', 'parked', {
      trouble: { kind: 'limited', agent: 'claude', message: 'limit', resetAt: 9_000_000 },
    });
    decided(pilot);
    expect(pilot.state.limits?.still).toBeUndefined();
    closed(pilot, 'i-1', 'failed');
    decided(pilot);
    expect(pilot.state.limits?.still).toBeDefined();
  });

  test('in waves with one slot each idea begins on what the one before has changed: none begins beside a gate', () => {
    const waves = { maxWaves: 1, batchSize: 5 };
    const pilot = pilotOf(ideas(2), { slots: 1, gatesBeside: 0, waves });
    Object.assign(pilot.state, { waves: undefined });
    decided(pilot);
    say(pilot, 'i-1', 'gating');
    expect(decided(pilot)).toEqual([]);
  });

  test('A6: in mode step an idea keeps its slot, so that its approval is all that its next iteration needs', () => {
    const pilot = began(3, { slots: 1, mode: 'step' });
    say(pilot, 'i-1', 'gating');
    expect(decided(pilot)).toEqual([]);
    say(pilot, 'i-1', 'approval');
    say(pilot, 'i-1', 'resumed');
    say(pilot, 'i-1', 'wants-slot');
    expect(decided(pilot)).toEqual(['grant i-1 @1']);
  });

  test('numbers are bounded, because ports go by them', () => {
    const pilot = pilotOf(ideas(MOST_NUMBERS + 50), { slots: 100, gatesBeside: 400, maxWaiting: 1000 });
    decided(pilot);
    for (let round = 0; round < 4; round++) {
      for (const { card: one, beside } of pilot.openIdeas()) if (!beside) say(pilot, one.id, 'gating');
      decided(pilot);
    }
    const numbers = pilot.openIdeas().map(({ slot = 0 }) => slot);
    expect(Math.max(...numbers)).toBe(MOST_NUMBERS);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('a run of an older version holds the slot, also for an idea that it adopted from a newer one', () => {
    const pilot = pilotOf(ideas(2), { slots: 1 });
    decided(pilot);
    say(pilot, 'i-1', 'gating');
    expect(decided(pilot)).toEqual([]);
    say(pilot, 'i-1', 'wants-slot');
    expect(decided(pilot)).toEqual(['grant i-1 @1']);
  });

  test('G6: views tell who is at the gate, since when, and that it holds no slot', () => {
    const pilot = began(3, { slots: 1 });
    const entry = pilot.graph.entry('i-1');
    if (!entry) throw new Error('there is no such idea');
    pilot.report({ ...say(pilot, 'i-1', 'warnings'), seq: 9, kind: 'gating' }, 5000);
    pilot.takeChanges(0);
    decided(pilot);
    expect(ideaLine(entry)).toMatchObject({ status: 'running', agentName: 'ed-001', beside: true, gating: 5000 });
    expect(pilot.takeChanges(0)).toMatchObject([
      { status: 'running', slot: 1, beside: true },
      { status: 'running', slot: 2 },
    ]);
    expect(new Autopilot(structuredClone(pilot.state), settings({ gatesBeside: 0 })).decide(false)).toEqual([]);
  });
});
