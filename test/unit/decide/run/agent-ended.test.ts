/** A slot goes back at the end of the agent: what the run makes of that message, and of one that comes late. */
import { expect, test } from 'vitest';
import { isAgentEnded } from '../../../../src/decide/messages/between.js';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { card, closed, decided, pilotOf, say, type settings, slotOf, statusOf } from '../support.js';

const ideas = (count: number) => Array.from({ length: count }, (_, at) => card(`i-${at + 1}`));
const began = (count: number, over: Parameters<typeof settings>[0] = {}) => {
  const pilot = pilotOf(ideas(count), { slots: 1, gatesBeside: 0, settlesBeside: true, ...over });
  decided(pilot);
  return pilot;
};
const isBeside = (pilot: Autopilot, idea: string): boolean => pilot.graph.entry(idea)?.beside === true;
/** `after`: the number of its last report then. */
const ended = (pilot: Autopilot, idea: string, after = pilot.graph.entry(idea)?.seq ?? 0, now = 0): void =>
  pilot.agentEnded({ idea, run: 'r', life: pilot.graph.entry(idea)?.life ?? 0, after }, now);

test('A1: the next agent gets the slot before the run is settled; the idea keeps its number', () => {
  const pilot = began(3);
  ended(pilot, 'i-1', 0, 1000);
  expect(decided(pilot)).toEqual(['start i-2 @2']);
  expect([statusOf(pilot, 'i-1'), slotOf(pilot, 'i-1'), isBeside(pilot, 'i-1')]).toEqual(['running', 1, true]);
  // Its gate begins: nothing changes, and it is at the gate since its agent ended.
  pilot.report({ ...say(pilot, 'i-1', 'warnings'), seq: 9, kind: 'gating' }, 5000);
  expect(decided(pilot)).toEqual([]);
  expect(pilot.graph.entry('i-1')?.gating).toBe(1000);
  say(pilot, 'i-1', 'ready');
  expect(decided(pilot)).toEqual(['land i-1']);
});

test('A1: a run that leads to no gate after all asks for a slot: before any new idea, under its number', () => {
  const pilot = began(3);
  ended(pilot, 'i-1');
  decided(pilot);
  say(pilot, 'i-1', 'wants-slot');
  expect(decided(pilot)).toEqual([]);
  ended(pilot, 'i-2');
  expect(decided(pilot)).toEqual(['grant i-1 @1']);
  expect(isBeside(pilot, 'i-1')).toBe(false);
});

test('a message of an earlier agent run takes no slot from a later one', () => {
  const pilot = began(2);
  say(pilot, 'i-1', 'wants-slot');
  expect(decided(pilot)).toEqual(['grant i-1 @1']);
  ended(pilot, 'i-1', 0);
  expect(decided(pilot)).toEqual([]);
  expect(isBeside(pilot, 'i-1')).toBe(false);
  // Nor does one of an earlier generation, or a repeated one.
  pilot.agentEnded({ idea: 'i-1', run: 'r', life: 7, after: 1 }, 0);
  expect(decided(pilot)).toEqual([]);
  for (const _ of [1, 2]) ended(pilot, 'i-1', 1);
  expect(decided(pilot)).toEqual(['start i-2 @2']);
});

test('an idea that holds no slot gives none back', () => {
  for (const rest of ['needs-human', 'parked', 'ready', 'paused'] as const) {
    const pilot = began(1, { slots: 2 });
    say(pilot, 'i-1', rest);
    ended(pilot, 'i-1');
    expect([rest, pilot.graph.entry('i-1')?.gating, isBeside(pilot, 'i-1')]).toEqual([rest, undefined, false]);
  }
  const pilot = began(1);
  closed(pilot, 'i-1', 'failed');
  ended(pilot, 'i-1');
  pilot.agentEnded({ idea: 'i-9', run: 'r', life: 1, after: 0 }, 0);
  expect(decided(pilot)).toEqual([]);
});

test('bounded like gates: with gate.parallel the second idea holds its slot until the first gate is over', () => {
  const pilot = began(4, { slots: 2, gatesBeside: 1 });
  for (const idea of ['i-1', 'i-2']) ended(pilot, idea);
  expect(decided(pilot)).toEqual(['start i-3 @3']);
  say(pilot, 'i-1', 'ready');
  expect(decided(pilot)).toEqual(['land i-1', 'start i-4 @1']);
});

test('C1: in a pausing run the slot stays empty', () => {
  const pilot = began(2);
  pilot.pause();
  decided(pilot);
  ended(pilot, 'i-1');
  expect(decided(pilot)).toEqual([]);
  say(pilot, 'i-1', 'gating');
  say(pilot, 'i-1', 'paused');
  decided(pilot);
  expect(pilot.state.run).toBe('paused');
});

test('C6: a worker that is lost while the run is settled: the idea asks, and holds no slot of another', () => {
  const pilot = began(3);
  ended(pilot, 'i-1');
  expect(decided(pilot)).toEqual(['start i-2 @2']);
  say(pilot, 'i-1', 'wants-slot');
  say(pilot, 'i-2', 'wants-slot');
  expect(decided(pilot)).toEqual(['grant i-1 @1']);
  expect(statusOf(pilot, 'i-2')).toBe('wants-slot');
});

test('only a program of ralphctl says so', () => {
  expect(isAgentEnded({ idea: 'i-1', run: 'r', life: 1, after: 0 })).toBe(true);
  const good = { idea: 'i-1', run: 'r', life: 1, after: 0 };
  const { run: _, ...ofNoRun } = good;
  for (const bad of [undefined, {}, 'i-1', ofNoRun, { ...good, idea: '' }, { ...good, life: -1 }])
    expect(isAgentEnded(bad)).toBe(false);
});
