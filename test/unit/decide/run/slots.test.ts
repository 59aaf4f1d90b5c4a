import { describe, expect, test } from 'vitest';
import { brief, card, closed, decided, landedResult, pilotOf, say, slotOf, statusOf } from '../support.js';

const five = ['a', 'b', 'c', 'd', 'e'].map((id) => card(id));

describe('A1 slots', () => {
  test('A1: slots are filled at once, a freed one is refilled without waiting for the others', () => {
    const pilot = pilotOf(five);
    expect(decided(pilot)).toEqual(['start a @1', 'start b @2', 'start c @3']);
    expect(decided(pilot)).toEqual([]);
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).toEqual(['land b', 'start d @2']);
    closed(pilot, 'a', 'blocked');
    expect(decided(pilot)).toEqual(['start e @1']);
    expect(['c', 'd', 'e'].map((id) => slotOf(pilot, id))).toEqual([3, 2, 1]);
  });

  test('A1: the run ends when nothing is ready and nothing runs', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })]);
    decided(pilot);
    expect(pilot.isOver()).toBe(false);
    closed(pilot, 'a', 'failed');
    expect(decided(pilot)).toEqual([]);
    expect(statusOf(pilot, 'b')).toBe('pending');
    expect(pilot.isOver()).toBe(true);
  });

  test('A1: a backlog without anything to do is over at once', () => {
    const pilot = pilotOf([card('a')], {}, ['a']);
    expect(decided(pilot)).toEqual([]);
    expect(pilot.isOver()).toBe(true);
  });

  test('A3: a dependent starts when what it depends on has landed, not when that is merely done', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })]);
    decided(pilot);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['land a']);
    expect(decided(pilot)).toEqual([]);
    pilot.landed('a', landedResult());
    expect(decided(pilot)).toEqual(['landed a', 'start b @1']);
  });

  test('A2: free slots go to the highest score first', () => {
    const pilot = pilotOf(
      [card('plain'), card('quick', { tags: ['quick-win'] }), card('crit', { tags: ['critical'] })],
      { slots: 2 },
    );
    expect(decided(pilot)).toEqual(['start crit @1', 'start quick @2']);
  });

  test('A1: more slots are used at once, fewer take nothing away', () => {
    const pilot = pilotOf(five, { slots: 2 });
    decided(pilot);
    pilot.setSlots(4);
    expect(decided(pilot)).toEqual(['start c @3', 'start d @4']);
    pilot.setSlots(1);
    for (const idea of ['a', 'b', 'c']) {
      closed(pilot, idea, 'blocked');
      expect(decided(pilot)).toEqual([]);
    }
    expect(slotOf(pilot, 'd')).toBe(4);
    closed(pilot, 'd', 'blocked');
    expect(decided(pilot)).toEqual(['start e @1']);
  });

  test('A1: ideas that get their slots back count as no starts', () => {
    const pilot = pilotOf(five);
    decided(pilot);
    for (const idea of ['a', 'b', 'c']) say(pilot, idea, 'wants-slot');
    pilot.setSlots(5);
    expect(brief(pilot.decide(false, 0, 2))).toEqual([
      ...['grant a @1', 'grant b @2', 'grant c @3'],
      ...['start d @4', 'start e @5'],
    ]);
  });

  test('A1: ideas that are added start as slots allow, and a Blue that was done waits again', () => {
    const pilot = pilotOf(
      [card('p', { blue: true }), card('a', { parent: 'p' }), card('z', { dependsOn: ['p'] })],
      {},
      ['a'],
    );
    pilot.pause();
    pilot.enqueue([card('n', { parent: 'p' })]);
    pilot.decide(false);
    pilot.resume();
    expect(decided(pilot)).toEqual(['start n @1']);
    say(pilot, 'n', 'ready');
    decided(pilot);
    pilot.landed('n', landedResult());
    expect(decided(pilot)).toEqual(['landed n', 'start z @1']);
  });

  test('A1: adding ideas keeps slots, reports and landings of those under way', () => {
    const pilot = pilotOf([card('a'), card('b')]);
    decided(pilot);
    say(pilot, 'a', 'ready');
    decided(pilot);
    pilot.enqueue([card('c'), card('d', { dependsOn: ['a'] })]);
    expect(decided(pilot)).toEqual(['start c @1']);
    pilot.landed('a', landedResult());
    expect(decided(pilot)).toEqual(['landed a', 'start d @3']);
    expect(pilot.openIdeas().map((entry) => entry.card.id)).toEqual(['b', 'c', 'd']);
  });

  test('A1: while the run is about to continue as new nothing begins, messages still go out', () => {
    const pilot = pilotOf(five);
    expect(decided(pilot, true)).toEqual([]);
    decided(pilot);
    say(pilot, 'a', 'ready');
    pilot.pause();
    expect(decided(pilot, true)).toEqual(['pause b', 'pause c']);
    expect(pilot.state.run).toBe('pausing');
    expect(pilot.state.landing).toBeUndefined();
  });

  test('G6: every change of status is told once, with the slot', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    say(pilot, 'a', 'ready');
    say(pilot, 'a', 'ready');
    decided(pilot);
    pilot.landed('a', landedResult('abc', 'your checkout was left alone'));
    expect(pilot.takeChanges(0).map(({ status, slot, commit, reason }) => [status, slot, commit, reason])).toEqual([
      ['running', 1, undefined, undefined],
      ['landing', undefined, undefined, undefined],
      ['landed', undefined, 'abc', 'your checkout was left alone'],
    ]);
    expect(pilot.takeChanges(0)).toEqual([]);
  });
});
