/** Open ideas of an earlier run: who takes them over, in which order, under which number. Features: A1 C6. */
import { describe, expect, test } from 'vitest';
import { Autopilot } from '../../../../src/decide/run/autopilot.js';
import type { LeftOpen } from '../../../../src/protocol/activities.js';
import { card, decided, pilotOf, say, settings, slotOf } from '../support.js';

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

  test('is left where it may not run: it waits for another idea, is unknown, or is done', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] }), card('c')], { slots: 1 }, ['c'], {
      leftOpen: ['b', 'c', 'ghost'].map((idea) => ({ idea, agentName: 'ed-004' })),
    });
    expect(decided(pilot)).toEqual(['start a @1']);
    expect(pilot.state.leftOpen).toBeUndefined();
  });
});
