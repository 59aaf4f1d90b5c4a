/** Pull requests on top of each other (`landing.stack`): who starts, what lands where, what is asked. Features: D2. */
import { describe, expect, it } from 'vitest';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { MOST_STACKED } from '../../../../src/decide/scheduler/stack.js';
import { ideaLine } from '../../../../src/decide/views/status.js';
import { why } from '../../../../src/decide/views/why.js';
import type { DeliverySettings } from '../../../../src/protocol/delivery.js';
import type { LandResult } from '../../../../src/protocol/git-work.js';
import type { LookResult } from '../../../../src/protocol/review.js';
import { card, closed, conflictResult, decided, pilotOf, say, settings, statusOf } from '../support.js';

const delivery: DeliverySettings = { mode: 'pr', to: 'origin/main', retryMs: 1000, pollMs: 1000, stack: true };
const NUMBER: Record<string, number> = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 };

const entry = (pilot: Autopilot, idea: string) =>
  pilot.graph.entry(idea) as NonNullable<ReturnType<typeof pilot.graph.entry>>;
const whyOf = (pilot: Autopilot, idea: string) => why(idea, settings({ delivery }), pilot.graph, pilot.state);

/** Its pull request opens: on top of what it stands on, as the landing would find it. */
function opens(pilot: Autopilot, idea: string, candidate = `${idea}-1`): void {
  const { below } = entry(pilot, idea);
  const lower = below && pilot.graph.entry(below.idea)?.review;
  const on = below && lower?.at !== undefined ? { below: { ...below, commit: lower.candidate } } : {};
  const onto = 'below' in on ? (on.below as { commit: string }).commit : 'tip';
  const number = NUMBER[idea] ?? 0;
  const pull = { number, url: `https://forge/${number}`, candidate, onto, ...on };
  pilot.landed(idea, { kind: 'in-review', pull, durationMs: 1 } as LandResult);
}

/** The idea works, is green, and its pull request opens. */
function reviewed(pilot: Autopilot, idea: string, candidate?: string): void {
  decided(pilot);
  say(pilot, idea, 'ready');
  expect(decided(pilot)).toContain(`land ${idea}`);
  opens(pilot, idea, candidate);
  quiet(pilot);
}

/** Looks begin and find nothing. */
function quiet(pilot: Autopilot, now = 0): void {
  for (const one of pilot.decide(false, now)) if (one.do === 'look') pilot.looked(one.idea, { kind: 'open' }, now);
}

function look(pilot: Autopilot, idea: string, result: LookResult): void {
  const now = entry(pilot, idea).review?.at ?? 0;
  for (const one of pilot.decide(false, now))
    if (one.do === 'look' && one.idea !== idea) pilot.looked(one.idea, { kind: 'open' }, now);
  pilot.looked(idea, result, now);
}
const merged = (pilot: Autopilot, idea: string): void =>
  look(pilot, idea, { kind: 'merged', commit: `m-${idea}`, by: 'ann' });

/** a ← b ← c, all in review. */
function three(): Autopilot {
  const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] }), card('c', { dependsOn: ['b'] })], { delivery });
  for (const idea of ['a', 'b', 'c']) reviewed(pilot, idea);
  return pilot;
}

describe('D2 an idea starts on top of an open pull request', () => {
  it('starts on its commit, and why, status and reason say so', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery });
    expect(decided(pilot)).toEqual(['start a @1']);
    expect(whyOf(pilot, 'b')?.stack).toBeUndefined();
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['land a']);
    opens(pilot, 'a');
    expect(whyOf(pilot, 'b')).toMatchObject({
      stack: 'it can start on top of pull request 1 (a), which is not merged yet (landing.stack)',
      rank: 1,
    });
    expect(decided(pilot)).toEqual(['look a', 'start b @1']);
    expect(entry(pilot, 'b').below).toEqual({ idea: 'a', number: 1, commit: 'a-1' });
    expect(whyOf(pilot, 'b')?.stack).toBe(
      'it started on top of pull request 1 (a), which is merged first (landing.stack)',
    );
    say(pilot, 'b', 'ready');
    decided(pilot);
    opens(pilot, 'b');
    expect(entry(pilot, 'b')).toMatchObject({
      reason: 'in review: https://forge/2, on top of pull request 1 (a)',
      review: { onto: 'a-1' },
    });
    expect(ideaLine(entry(pilot, 'b'))).toMatchObject({ review: { number: 2 }, below: { idea: 'a', number: 1 } });
  });

  it('does not without landing.stack', () => {
    const { stack: _, ...plain } = delivery;
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery: plain });
    reviewed(pilot, 'a');
    expect(decided(pilot)).toEqual([]);
    expect([statusOf(pilot, 'b'), whyOf(pilot, 'b')?.stack]).toEqual(['pending', undefined]);
  });

  it('does not while its agent has the one below back, and does again after that', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery, slots: 1 });
    decided(pilot);
    say(pilot, 'a', 'ready');
    decided(pilot);
    opens(pilot, 'a');
    pilot.pause();
    decided(pilot);
    pilot.resume();
    // The look begins together with the start: this one comes first.
    pilot.setSlots(0);
    look(pilot, 'a', { kind: 'back', about: 'checks', what: 'build', tail: 'red', seen: ['check 1'] });
    pilot.setSlots(1);
    expect(pilot.next(5)).toEqual([]);
    expect(decided(pilot)).toEqual(['reopen a']);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['land a']);
    opens(pilot, 'a', 'a-2');
    expect(decided(pilot)).toEqual(['look a', 'start b @1']);
    expect(entry(pilot, 'b').below?.commit).toBe('a-2');
  });

  it('does, though the one at the bottom went back and came again as it was while it waited for a slot', () => {
    const ideas = [card('a'), card('b', { dependsOn: ['a'] }), card('c', { dependsOn: ['b'] })];
    const pilot = pilotOf(ideas, { delivery, slots: 1 });
    reviewed(pilot, 'a');
    decided(pilot);
    pilot.setSlots(0);
    say(pilot, 'b', 'ready');
    decided(pilot);
    opens(pilot, 'b');
    quiet(pilot);
    look(pilot, 'a', { kind: 'back', about: 'checks', what: 'build', tail: 'red', seen: ['check 1'] });
    pilot.setSlots(2);
    expect(decided(pilot)).toEqual(['reopen a']);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toContain('land a');
    opens(pilot, 'a');
    expect(decided(pilot)).toContain('start c @1');
  });

  it('does not on one that a person is ending', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery });
    decided(pilot);
    say(pilot, 'a', 'ready');
    decided(pilot);
    opens(pilot, 'a');
    pilot.command({ verb: 'skip', idea: 'a', id: 's-1' } as never);
    expect(decided(pilot)).not.toContain('start b @1');
    expect(entry(pilot, 'b')).not.toHaveProperty('below');
  });

  it('two that are apart: it waits until all but one are merged, and says so', () => {
    const pilot = pilotOf([card('a'), card('b'), card('c', { dependsOn: ['a', 'b'] })], { delivery });
    reviewed(pilot, 'a');
    reviewed(pilot, 'b');
    expect(statusOf(pilot, 'c')).toBe('pending');
    expect(whyOf(pilot, 'c')?.stack).toBe(
      'it can be on top of one pull request only; all but one of them have to be merged first',
    );
    merged(pilot, 'a');
    expect(decided(pilot)).toContain('start c @1');
    expect(entry(pilot, 'c').below?.idea).toBe('b');
  });

  it('two of one stack: it starts on the upper one', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] }), card('c', { dependsOn: ['a', 'b'] })], {
      delivery,
    });
    reviewed(pilot, 'a');
    expect(statusOf(pilot, 'c')).toBe('pending');
    reviewed(pilot, 'b');
    expect(entry(pilot, 'c')).toMatchObject({ status: 'running', below: { idea: 'b', commit: 'b-1' } });
  });

  it(`at most ${MOST_STACKED} are on top of each other`, () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const cards = ids.map((id, at) => card(id, at === 0 ? {} : { dependsOn: [ids[at - 1] ?? ''] }));
    const pilot = pilotOf(cards, { delivery });
    for (const id of ids.slice(0, MOST_STACKED)) reviewed(pilot, id);
    expect(statusOf(pilot, 'f')).toBe('pending');
    expect(whyOf(pilot, 'f')?.stack).toBe(
      '5 pull requests on top of each other are the most; one of them has to be merged first',
    );
    merged(pilot, 'a');
    // All above it land again first.
    expect(statusOf(pilot, 'f')).toBe('pending');
    for (const id of ids.slice(1, MOST_STACKED)) {
      expect(decided(pilot)).toContain(`land ${id}`);
      opens(pilot, id, `${id}-2`);
    }
    expect(decided(pilot)).toContain('start f @1');
    expect(entry(pilot, 'f').below).toMatchObject({ idea: 'e', commit: 'e-2' });
  });
});

describe('D2 an idea on top of a pull request', () => {
  it('lands again on the target once the one below is merged, and those above it on its new commit', () => {
    const pilot = three();
    merged(pilot, 'a');
    expect(decided(pilot)).toEqual(expect.arrayContaining(['landed a', 'land b']));
    expect(entry(pilot, 'b').reason).toBe('lands again: pull request 1 (a) below it was merged');
    // c stays in review meanwhile.
    expect(entry(pilot, 'c').review?.at).toBeDefined();
    const pull = { number: 2, url: 'https://forge/2', candidate: 'b-2', onto: 'm-a' };
    pilot.landed('b', { kind: 'in-review', pull, durationMs: 1 });
    expect(entry(pilot, 'b')).not.toHaveProperty('below');
    expect(entry(pilot, 'b').reason).toBe('in review: https://forge/2');
    expect(decided(pilot)).toContain('land c');
    expect(entry(pilot, 'c').reason).toBe('lands again: pull request 2 (b) below it has new commits');
    opens(pilot, 'c', 'c-2');
    expect(entry(pilot, 'c').review).toMatchObject({ onto: 'b-2', below: { idea: 'b' } });
    quiet(pilot);
    expect(decided(pilot)).toEqual([]);
  });

  it('a look that is under way ends first', () => {
    const pilot = three();
    const now = entry(pilot, 'b').review?.at ?? 0;
    expect(decided(pilot, false, now)).toEqual(expect.arrayContaining(['look a', 'look b']));
    pilot.looked('a', { kind: 'merged', commit: 'm' }, now);
    expect(decided(pilot, false, now)).not.toContain('land b');
    pilot.looked('b', { kind: 'open' }, now);
    expect(decided(pilot, false, now)).toContain('land b');
  });

  it('its work waits while the one below is with its agent, and goes on top of what comes of that', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery });
    reviewed(pilot, 'a');
    look(pilot, 'a', { kind: 'back', about: 'comments', what: 'ann', tail: 'x', seen: ['line 1'] });
    expect(decided(pilot)).toContain('reopen a');
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).toEqual([]);
    expect(entry(pilot, 'b').reason).toBe('done; it waits for pull request 1 (a), on top of which it stands');
    // Others land meanwhile.
    pilot.enqueue([card('z')]);
    decided(pilot);
    say(pilot, 'z', 'ready');
    expect(decided(pilot)).toEqual(['land z']);
    opens(pilot, 'z');
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toContain('land a');
    opens(pilot, 'a', 'a-2');
    expect(decided(pilot)).toContain('land b');
    opens(pilot, 'b');
    expect(entry(pilot, 'b').review?.onto).toBe('a-2');
  });

  it('a conflict with the new commit goes to its agent, a limited number of times', () => {
    const pilot = three();
    merged(pilot, 'a');
    decided(pilot);
    pilot.landed('b', { ...conflictResult(), after: 'a-1' });
    expect(entry(pilot, 'b')).toMatchObject({ status: 'wants-slot', rounds: 1 });
    expect(pilot.decide(false)).toMatchObject([
      { do: 'verdict', verdict: { reopen: { kind: 'conflict', onto: 'tip', after: 'a-1' } } },
    ]);
  });

  it('never counts as landed before the one below, also if somebody merged it first', () => {
    const pilot = three();
    merged(pilot, 'b');
    expect(entry(pilot, 'b')).toMatchObject({
      status: 'landing',
      reason:
        'in review: https://forge/2, on top of pull request 1 (a); it is merged, and has landed once pull request 1 (a) below it has',
    });
    merged(pilot, 'a');
    expect(statusOf(pilot, 'a')).toBe('landed');
  });

  it('merged into a branch that is over, it lands again with another pull request', () => {
    const pilot = three();
    look(pilot, 'b', { kind: 'astray', why: 'the branch below it is gone' });
    expect(decided(pilot)).toContain('land b');
    expect(entry(pilot, 'b')).toMatchObject({ anew: true, reason: 'lands again: the branch below it is gone' });
  });

  it('asks once the one below is closed; those above it wait; a reply has it go onto the target', () => {
    const pilot = three();
    look(pilot, 'a', { kind: 'closed', by: 'ann' });
    decided(pilot);
    closed(pilot, 'a', 'skipped', 'pull request 1 was closed by ann without a merge');
    // Somebody may have merged it all the same.
    expect(decided(pilot)).toEqual(['look b']);
    pilot.looked('b', { kind: 'open' }, 0);
    expect(decided(pilot)).toEqual(['ask b']);
    expect(entry(pilot, 'b')).toMatchObject({
      status: 'needs-human',
      reason:
        'It stands on pull request 1 of a, which is skipped: pull request 1 was closed by ann without a merge. Its own pull request, 2, stays open. To bring a back: ralphctl retry a. To leave this one out, too: ralphctl skip b. Reply with anything to have it go onto main without a.',
    });
    quiet(pilot, 1e9);
    expect(entry(pilot, 'c')).toMatchObject({ status: 'landing', reason: expect.stringContaining('in review: ') });
    say(pilot, 'b', 'wants-slot');
    decided(pilot);
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).toContain('land b');
    const pull = { number: 2, url: 'https://forge/2', candidate: 'b-2', onto: 'tip' };
    pilot.landed('b', { kind: 'in-review', pull, durationMs: 1 });
    expect(entry(pilot, 'b')).not.toHaveProperty('below');
    expect(decided(pilot)).toContain('land c');
  });

  it.each<[string, LookResult]>([
    ['the forge cannot be asked', { kind: 'unreachable', why: 'it is down' }],
    ['its merge does not show yet', { kind: 'open', merged: true }],
  ])('asks nobody while %s: such a look is none', (_, result) => {
    const pilot = three();
    look(pilot, 'a', { kind: 'closed', by: 'ann' });
    decided(pilot);
    closed(pilot, 'a', 'skipped', 'closed');
    expect(decided(pilot)).toEqual(['look b']);
    let now = 0;
    for (let n = 0; n < 5; n++) {
      pilot.looked('b', result, now);
      // Not at once again: the time between looks grows.
      expect(decided(pilot, false, now).filter((one) => one.endsWith(' b'))).toEqual([]);
      const next = entry(pilot, 'b').review?.at ?? 0;
      expect(next).toBeGreaterThan(now);
      now = next;
      expect(decided(pilot, false, now)).toContain('look b');
    }
    pilot.looked('b', { kind: 'open' }, now);
    expect(decided(pilot, false, now)).toContain('ask b');
    expect(statusOf(pilot, 'b')).toBe('needs-human');
  });

  it('has landed, and asks nothing, where a person merged it onto the target before that', () => {
    const pilot = three();
    look(pilot, 'a', { kind: 'closed', by: 'ann' });
    decided(pilot);
    closed(pilot, 'a', 'skipped', 'closed');
    expect(decided(pilot)).toEqual(['look b']);
    pilot.looked('b', { kind: 'merged', commit: 'm' }, 0);
    expect(decided(pilot)).toContain('landed b');
  });

  it('asks nobody in a run that stops', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery });
    reviewed(pilot, 'a');
    say(pilot, 'b', 'ready');
    decided(pilot);
    pilot.landed('b', { kind: 'waits-below', why: 'empty', durationMs: 1 });
    pilot.stop();
    closed(pilot, 'a', 'skipped', 'closed');
    expect(decided(pilot)).toContain('stop b');
    expect(statusOf(pilot, 'b')).toBe('landing');
  });

  it('goes on top of it again where a person brought that one back', () => {
    const pilot = three();
    look(pilot, 'a', { kind: 'closed', by: 'ann' });
    decided(pilot);
    closed(pilot, 'a', 'skipped', 'closed');
    quiet(pilot);
    decided(pilot);
    pilot.command({ verb: 'retry', idea: 'a', id: 'r-1' } as never);
    say(pilot, 'b', 'wants-slot');
    decided(pilot);
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).not.toContain('land b');
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toContain('land a');
    opens(pilot, 'a', 'a-9');
    expect(decided(pilot)).toContain('land b');
    opens(pilot, 'b', 'b-2');
    expect(entry(pilot, 'b').review).toMatchObject({ onto: 'a-9', below: { idea: 'a' } });
  });

  it('where the forge no longer has the one below open, that is looked at before another try', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery });
    reviewed(pilot, 'a');
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).toEqual(['land b']);
    pilot.landed('b', { kind: 'waits-below', why: 'moved', durationMs: 1 });
    expect(decided(pilot)).toEqual(['look a']);
    pilot.looked('a', { kind: 'open', merged: true }, 0);
    expect(decided(pilot)).toEqual([]);
    merged(pilot, 'a');
    expect(decided(pilot)).toEqual(['landed a', 'land b']);
  });

  it('without a change of its own it lands after the one below only', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery });
    reviewed(pilot, 'a');
    say(pilot, 'b', 'ready');
    decided(pilot);
    pilot.landed('b', { kind: 'waits-below', why: 'empty', durationMs: 1 });
    quiet(pilot);
    expect(decided(pilot)).toEqual([]);
    expect(entry(pilot, 'b').reason).toBe('done; it waits for pull request 1 (a), on top of which it changes nothing');
    merged(pilot, 'a');
    expect(decided(pilot)).toEqual(['landed a', 'land b']);
  });

  it('holds no stop: what waits for the one below ends with it, and the run is over', () => {
    const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery });
    reviewed(pilot, 'a');
    say(pilot, 'b', 'ready');
    decided(pilot);
    pilot.landed('b', { kind: 'waits-below', why: 'empty', durationMs: 1 });
    pilot.stop();
    expect(decided(pilot)).toEqual(['stop a', 'stop b']);
    expect(decided(pilot)).toEqual([]);
    for (const idea of ['a', 'b']) closed(pilot, idea, 'stopped');
    expect([pilot.isOver(), statusOf(pilot, 'b')]).toEqual([true, 'pending']);
    expect(entry(pilot, 'b')).not.toHaveProperty('below');
  });
});
