/** Landings wait while a person's merge or the like holds the target, and for no longer than that (D1, C1). */
import { describe, expect, it } from 'vitest';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { ASK_AFTER, lookFirst } from '../../../../src/decide/run/target-busy.js';
import { runWarnings } from '../../../../src/decide/views/status.js';
import type { LandResult } from '../../../../src/protocol/git-work.js';
import { brief, card, conflictResult, decided, landedResult, pilotOf, SETTINGS, say, statusOf } from '../support.js';

const WHY = "A merge is in progress in /shop, which has main checked out. Finish it, or: git -C '/shop' merge --abort";
const busy: LandResult = { kind: 'target-busy', why: WHY, durationMs: 1 };

/** `a` lands, `b` waits behind it, `c` works. */
function queued(): Autopilot {
  const pilot = pilotOf([card('a'), card('b'), card('c')]);
  pilot.decide(false);
  say(pilot, 'a', 'ready');
  say(pilot, 'b', 'ready');
  expect(decided(pilot)).toEqual(['land a']);
  return pilot;
}
const at = (pilot: Autopilot, now: number): string[] => brief(pilot.decide(false, now));
const reasons = (pilot: Autopilot): (string | undefined)[] => pilot.takeChanges(0).map(({ reason }) => reason);

/** Looks until the idea asks; the times between the looks. */
function waitItOut(pilot: Autopilot, idea: string): number[] {
  const waits: number[] = [];
  let now = 0;
  for (;;) {
    pilot.landed(idea, busy, now);
    if (statusOf(pilot, idea) !== 'landing') return waits;
    expect(at(pilot, now)).toEqual([]);
    const next = pilot.wakeAt() ?? Number.NaN;
    waits.push(next - now);
    now = next;
    expect(at(pilot, now)).toEqual([`land ${idea}`]);
  }
}

describe('D1 a target that a merge of a person holds', () => {
  it('is told once, with its reason; no landing begins, agents go on, and all lands once it is free', () => {
    const pilot = queued();
    pilot.takeChanges(0);
    pilot.landed('a', busy, 1000);
    expect(at(pilot, 1000)).toEqual([]);
    expect(pilot.state.lane).toEqual(['a', 'b']);
    expect(reasons(pilot)).toEqual([`done; its landing waits: ${WHY}`]);
    expect(runWarnings(pilot.state, SETTINGS)).toEqual([
      { kind: 'target', text: `nothing lands on main now. ${WHY}`, since: 1000 },
    ]);
    expect(at(pilot, 3000)).toEqual(['land a']);
    pilot.landed('a', busy, 3000);
    expect(reasons(pilot)).toEqual([]);
    say(pilot, 'c', 'ready');
    expect(at(pilot, 3000)).toEqual([]);
    expect(at(pilot, 7000)).toEqual(['land a']);
    pilot.landed('a', landedResult(), 7100);
    expect(at(pilot, 7100)).toEqual(['landed a', 'land b']);
    expect(pilot.graph.entry('a')?.reason).toBeUndefined();
    expect(pilot.state.targetBusy).toBeUndefined();
    expect(runWarnings(pilot.state, SETTINGS)).toEqual([]);
  });

  it('loses its reason and its warning once the target is free, before that landing ends', () => {
    const pilot = queued();
    expect(lookFirst(pilot.state)).toEqual({});
    pilot.landed('a', busy, 1000);
    expect(at(pilot, 3000)).toEqual(['land a']);
    // Only a look, so that its end comes before the gate begins.
    expect(lookFirst(pilot.state)).toEqual({ look: true });
    pilot.takeChanges(0);
    pilot.landed('a', { kind: 'target-free', durationMs: 1 }, 3100);
    expect(at(pilot, 3100)).toEqual(['land a']);
    expect(lookFirst(pilot.state)).toEqual({});
    expect(pilot.state.lane).toEqual(['a', 'b']);
    expect([statusOf(pilot, 'a'), pilot.graph.entry('a')?.reason]).toEqual(['landing', undefined]);
    expect(pilot.takeChanges(0).map(({ card, reason }) => [card.id, reason])).toEqual([['a', undefined]]);
    expect(runWarnings(pilot.state, SETTINGS)).toEqual([]);
    pilot.landed('a', landedResult(), 60_000);
    expect(at(pilot, 60_000)).toEqual(['landed a', 'land b']);
  });

  it('that is free again for an idea which has ended meanwhile lands nothing of it', () => {
    const pilot = queued();
    pilot.landed('a', busy, 1000);
    expect(at(pilot, 3000)).toEqual(['land a']);
    pilot.childEnded('a', 'stopped', 'by hand');
    pilot.landed('a', { kind: 'target-free', durationMs: 1 }, 3100);
    expect(at(pilot, 3100)).not.toContain('land a');
    expect(pilot.state.targetBusy).toBeUndefined();
  });

  it('is looked at with a growing time, a bounded number of times; then each waiting idea asks', () => {
    const pilot = queued();
    const waits = waitItOut(pilot, 'a');
    expect(waits.slice(0, 5)).toEqual([2000, 4000, 8000, 16_000, 30_000]);
    expect(waits.length).toBeLessThan(130);
    expect(pilot.graph.entry('a')).toMatchObject({
      status: 'needs-human',
      reason: `The work is done, but its landing waits: ${WHY} Then reply with anything to land it.`,
    });
    // The next one hears the same at once.
    expect(at(pilot, ASK_AFTER + 1)).toEqual(['ask a', 'land b']);
    pilot.landed('b', busy, ASK_AFTER + 60_000);
    expect(statusOf(pilot, 'b')).toBe('needs-human');
    at(pilot, ASK_AFTER + 60_000);
    expect(pilot.state.targetBusy).toBeUndefined();
    expect(pilot.wakeAt()).toBeUndefined();
  });

  it('holds no stop: one more look at once, then the work stays on its branch, and the run ends with the reason', () => {
    const pilot = queued();
    pilot.landed('a', busy, 1000);
    at(pilot, 1000);
    pilot.stop();
    expect(at(pilot, 1000)).toEqual(['stop c', 'land a']);
    pilot.landed('a', busy, 1000);
    expect(pilot.decide(false, 1000)).toMatchObject([
      { do: 'tell', idea: 'a', signal: 'stop', args: [{ reason: WHY }] },
      { do: 'land', idea: 'b' },
    ]);
    pilot.landed('b', landedResult(), 1000);
    at(pilot, 1000);
    pilot.childEnded('a', 'stopped', `stopped before it landed: ${WHY}`);
    pilot.childEnded('c', 'stopped');
    at(pilot, 1000);
    expect(pilot.isOver()).toBe(true);
    expect(pilot.graph.entry('a')).toMatchObject({ status: 'pending', reason: `stopped before it landed: ${WHY}` });
  });

  it('does not count as a round, and an abort or a pause ends the looks', () => {
    const pilot = queued();
    pilot.landed('a', busy, 0);
    pilot.pause();
    at(pilot, 0);
    expect(pilot.wakeAt()).toBeUndefined();
    expect(at(pilot, 60_000)).toEqual([]);
    pilot.resume();
    expect(at(pilot, 60_000)).toContain('land a');
    pilot.landed('a', conflictResult(), 60_000);
    expect([pilot.graph.entry('a')?.rounds, pilot.state.totals.bounces]).toEqual([1, 1]);
    expect(pilot.state.targetBusy).toBeUndefined();
    at(pilot, 60_000);
    pilot.landed('b', busy, 60_000);
    pilot.abort();
    at(pilot, 60_000);
    expect(pilot.wakeAt()).toBeUndefined();
  });
});
