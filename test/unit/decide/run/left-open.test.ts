/** Open ideas of an earlier run: who takes them over, in which order, under which number. Features: A1 C6. */
import { describe, expect, test } from 'vitest';
import { Autopilot } from '../../../../src/decide/run/autopilot.js';
import type { LeftOpen } from '../../../../src/protocol/activities.js';
import type { IdeaReport } from '../../../../src/protocol/idea-run.js';
import { card, closed, decided, landedResult, pilotOf, say, settings, slotOf, stats } from '../support.js';

const cards = ['a', 'b', 'c', 'd'].map((id) => card(id));
const began = (leftOpen: LeftOpen[], slots = 2) => pilotOf(structuredClone(cards), { slots }, [], { leftOpen });

describe('A1 C6: what an earlier run left open', () => {
  test('is taken over before anything new begins, each under its number', () => {
    const pilot = began([
      { idea: 'c', agentName: 'ed-002' },
      { idea: 'd', agentName: 'ed-001' },
    ]);
    expect(decided(pilot)).toEqual(['start c @2', 'start d @1']);
    expect(pilot.state.leftOpen).toBeUndefined();
    say(pilot, 'd', 'ready');
    expect(decided(pilot)).toEqual(['land d', 'start a @1']);
  });

  test('is taken over as a whole where there are more ideas than slots, and then nothing new begins', () => {
    const pilot = began(
      ['b', 'c', 'd'].map((idea, at) => ({ idea, agentName: `ed-00${at + 1}` })),
      1,
    );
    expect(decided(pilot)).toEqual(['start b @1', 'start c @2', 'start d @3']);
    for (const idea of ['b', 'c']) say(pilot, idea, 'ready');
    expect(decided(pilot)).toEqual(['land b']);
    say(pilot, 'd', 'ready');
    expect(decided(pilot)).toEqual(['start a @1']);
  });

  test('gets the numbers that the others leave free, where it holds none or the same', () => {
    const pilot = began(
      [
        { idea: 'a' },
        { idea: 'b', agentName: 'ed-001' },
        { idea: 'c', agentName: 'ed-001' },
        { idea: 'd', agentName: '?' },
      ],
      9,
    );
    decided(pilot);
    expect(['a', 'b', 'c', 'd'].map((idea) => slotOf(pilot, idea))).toEqual([3, 1, 2, 4]);
  });

  test('starts no more at once than may, and the rest before anything new, also after continue-as-new', () => {
    const pilot = began(
      ['b', 'c', 'd'].map((idea, at) => ({ idea, agentName: `ed-00${at + 5}` })),
      9,
    );
    expect(pilot.decide(false, 0, 2).map((one) => 'idea' in one && one.idea)).toEqual(['b', 'c']);
    const next = new Autopilot(structuredClone(pilot.state), settings({ slots: 9 }));
    expect(next.decide(false, 0, 0)).toEqual([]);
    expect(decided(next)).toEqual(['start d @7', 'start a @1']);
  });

  const strange = (slots = 2) =>
    pilotOf([card('a'), card('b', { dependsOn: ['a'] }), card('c'), card('d'), card('e')], { slots }, ['c'], {
      leftOpen: ['b', 'c', 'ghost'].map((idea, at) => ({ idea, agentName: `ed-00${at + 1}` })),
    });
  const told = (pilot: Autopilot, idea: string, kind: IdeaReport['kind']) =>
    pilot.report({ idea, life: 4, seq: 9, kind, iterations: stats(1) });

  test('ends where this run does not work on it, and holds its slot and its number until then', () => {
    const pilot = strange();
    // b waits for another idea: it goes on, and this run takes it over at its turn.
    expect(decided(pilot)).toEqual(['stop c', 'stop ghost']);
    expect(pilot.takeEnded()).toEqual([
      { idea: 'c', why: 'it has landed' },
      { idea: 'ghost', why: 'its backlog does not have it' },
    ]);
    expect(pilot.takeEnded()).toEqual([]);
    expect(pilot.state.leftOpen).toBeUndefined();
    // Three agents are at work, and there are two slots.
    pilot.childEnded('c', 'stopped');
    told(pilot, 'ghost', 'spent');
    expect(decided(pilot)).toEqual([]);
    told(pilot, 'ghost', 'closed');
    expect(decided(pilot)).toEqual(['start a @2']);
    const next = new Autopilot(structuredClone(pilot.state), settings({ slots: 3 }));
    next.setSlots(3);
    expect(decided(next)).toEqual(['start d @3']);
    next.childGone('b');
    expect(next.state.strangers).toBeUndefined();
    expect(decided(next)).toEqual(['start e @1']);
  });

  test('keeps its number at its gate, and none after it: what it waits for may start', () => {
    const pilot = strange(3);
    decided(pilot);
    told(pilot, 'b', 'gating');
    expect(decided(pilot)).toEqual(['start a @4']);
    const next = new Autopilot(structuredClone(pilot.state), settings({ slots: 3 }));
    expect(decided(next)).toEqual([]);
    told(next, 'b', 'ready');
    told(next, 'c', 'closed');
    expect(decided(next)).toEqual(['start d @1']);
  });

  test('keeps its number where it may run before it has ended', () => {
    const pilot = strange(5);
    expect(decided(pilot)).toEqual(['stop c', 'stop ghost', 'start a @4', 'start d @5']);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['land a', 'start e @4']);
    pilot.landed('a', landedResult());
    closed(pilot, 'd', 'blocked');
    expect(decided(pilot)).toContain('start b @1');
    expect(pilot.state.strangers?.map(({ idea }) => idea)).toEqual(['c', 'ghost']);
  });
});
