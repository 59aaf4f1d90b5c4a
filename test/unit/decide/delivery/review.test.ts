/** Ideas in review: when they are looked at, and what follows from a look. Features: D2. */
import { describe, expect, it } from 'vitest';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { ideaLine } from '../../../../src/decide/views/status.js';
import type { DeliverySettings } from '../../../../src/protocol/delivery.js';
import type { LandResult } from '../../../../src/protocol/git-work.js';
import type { LookResult } from '../../../../src/protocol/review.js';
import { card, decided, pilotOf, say, slotOf, statusOf } from '../support.js';

const TO: DeliverySettings = { mode: 'pr', to: 'origin/main', retryMs: 1000, pollMs: 1000 };
const pull = { number: 4, url: 'https://forge/4', candidate: 'cand', onto: 'tip' };
const opened: LandResult = { kind: 'in-review', pull, durationMs: 1 };
const back: LookResult = { kind: 'back', about: 'checks', what: 'build', tail: 'red', seen: ['check 1'] };

/** `a` is in review, and `b` depends on it. */
function inReview(more: object = {}): Autopilot {
  const pilot = pilotOf([card('a'), card('b', { dependsOn: ['a'] })], { delivery: TO, ...more });
  pilot.decide(false);
  say(pilot, 'a', 'ready');
  expect(decided(pilot)).toEqual(['land a']);
  pilot.landed('a', opened);
  return pilot;
}
const look = (pilot: Autopilot, result: LookResult, now = 0): void => {
  pilot.decide(false, now);
  pilot.looked('a', result, now);
};
const again = (pilot: Autopilot): void => {
  pilot.decide(false);
  say(pilot, 'a', 'ready');
  pilot.decide(false);
  pilot.landed('a', opened);
};

describe('D2 an idea in review', () => {
  it('holds no slot and no place in the landing queue, and what depends on it waits', () => {
    const pilot = inReview();
    expect([statusOf(pilot, 'a'), slotOf(pilot, 'a')]).toEqual(['landing', undefined]);
    expect(pilot.state).toMatchObject({ lane: [], entries: [{ reason: 'in review: https://forge/4' }, {}] });
    expect(pilot.state.landing).toBeUndefined();
    const lines = pilot.state.entries.map((entry) => ideaLine(entry).review);
    expect(lines).toEqual([{ number: 4, url: 'https://forge/4' }, undefined]);
    expect(decided(pilot)).toEqual(['look a']);
    expect(decided(pilot)).toEqual([]);
    expect([statusOf(pilot, 'b'), pilot.isOver()]).toEqual(['pending', false]);
    expect(pilot.state.delivery).toBeUndefined();
  });

  it('F3: a tracker is told of each review, and nothing turns where there is none', () => {
    const reviews = (pilot: Autopilot) =>
      pilot
        .takeTurns()
        .flatMap(({ status, review }) => (status === 'landing' && review?.at !== undefined ? [review.url] : []));
    expect(reviews(inReview())).toEqual([]);
    const pilot = inReview({ tracker: { name: 'github' } });
    expect(reviews(pilot)).toEqual([pull.url]);
    look(pilot, back);
    again(pilot);
    expect(reviews(pilot)).toEqual([pull.url]);
  });

  it('asks once the remote has not had the commit of the merged pull request for a while: somebody set it back', () => {
    const pilot = inReview();
    for (let now = 0, n = 0; n < 7; n++) {
      look(pilot, { kind: 'open', merged: true }, now);
      // A forge that is down says nothing about it.
      now = pilot.wakeAt() ?? 0;
      look(pilot, { kind: 'unreachable', why: 'down' }, now);
      now = pilot.wakeAt() ?? 0;
      expect(statusOf(pilot, 'a')).toBe('landing');
    }
    look(pilot, { kind: 'open', merged: true }, 1e9);
    expect(statusOf(pilot, 'a')).toBe('needs-human');
    expect(pilot.state.entries[0]?.reason).toMatch(
      /^Pull request 4 is merged, and origin\/main has not had its commit in 8 looks: https:\/\/forge\/4\. .*ralphctl skip a$/,
    );
    // Nobody looks meanwhile.
    expect(decided(pilot, false, 2e9)).toEqual(['ask a']);
    expect(decided(pilot, false, 3e9)).toEqual([]);
    expect(pilot.wakeAt()).toBeUndefined();
  });

  it('does not ask where the remote shows the merge late', () => {
    const pilot = inReview();
    for (let n = 0; n < 7; n++) look(pilot, { kind: 'open', merged: true }, n * 1e6);
    look(pilot, { kind: 'behind', why: 'main here has commits of its own' }, 1e9);
    for (let n = 0; n < 7; n++) look(pilot, { kind: 'open', merged: true }, 2e9 + n * 1e6);
    expect(statusOf(pilot, 'a')).toBe('landing');
    look(pilot, { kind: 'merged', commit: 'm' }, 3e9);
    expect(statusOf(pilot, 'a')).toBe('landed');
  });

  it('is looked at after a wait that grows to five minutes while nothing happens', () => {
    const pilot = inReview();
    const waits: number[] = [];
    for (let now = 0, n = 0; n < 20; n++) {
      expect(decided(pilot, false, now)).toEqual(['look a']);
      pilot.looked('a', { kind: 'open' }, now);
      const at = pilot.wakeAt() ?? 0;
      waits.push(at - now);
      expect(decided(pilot, false, at - 1)).toEqual([]);
      now = at;
    }
    expect(waits.slice(0, 4)).toEqual([1000, 1500, 2250, 3375]);
    expect(waits.at(-1)).toBe(300_000);
  });

  it('is not looked at while the run is paused', () => {
    const pilot = inReview();
    pilot.pause();
    expect(decided(pilot)).not.toContain('look a');
    expect(pilot.wakeAt()).toBeUndefined();
  });

  it('has landed when it is merged, with who did it, and its dependents start', () => {
    const pilot = inReview();
    look(pilot, { kind: 'merged', commit: 'm', by: 'ann' });
    expect(pilot.graph.entry('a')).toMatchObject({
      status: 'landed',
      commit: 'm',
      reason: 'pull request 4 was merged by ann',
    });
    expect(pilot.graph.entry('a')).not.toHaveProperty('review');
    expect(decided(pilot)).toEqual(['landed a', 'start b @1']);
  });

  it('ends when it is closed, with who did it', () => {
    const pilot = inReview();
    look(pilot, { kind: 'closed', by: 'ann' });
    expect(pilot.decide(false)).toMatchObject([
      {
        verdict: {
          kind: 'close',
          outcome: 'skipped',
          reason: 'pull request 4 was closed by ann without a merge: https://forge/4',
        },
      },
    ]);
    expect(pilot.wakeAt()).toBeUndefined();
  });

  it('lands again where it conflicts with its base', () => {
    const pilot = inReview();
    look(pilot, { kind: 'apart' });
    expect(decided(pilot)).toEqual(['land a']);
  });

  it('asks once it conflicts again and again with a base that has not moved', () => {
    const pilot = inReview();
    const apart = (onto: string): void => {
      look(pilot, { kind: 'apart' });
      decided(pilot);
      pilot.landed('a', { ...opened, pull: { ...pull, onto } } as LandResult);
    };
    // A base that moves each time is nobody's fault.
    for (const onto of ['tip-2', 'tip-3', 'tip-4', 'tip-5']) apart(onto);
    expect(pilot.graph.entry('a')).toMatchObject({ status: 'landing', rounds: 0 });
    for (let n = 0; n < 4; n++) apart('tip-5');
    expect(pilot.graph.entry('a')).toMatchObject({
      status: 'needs-human',
      reason:
        'In review, it conflicts with its base, although it landed again on top of it 2 times: https://forge/4. Reply with advice for the next try.',
    });
  });

  it('has not landed while the target here lacks the merge: what depends on it does not start without it', () => {
    const pilot = inReview();
    look(pilot, { kind: 'behind', why: 'it is merged, but main here has commits that origin/main lacks' });
    expect(pilot.graph.entry('a')).toMatchObject({
      status: 'landing',
      reason: 'in review: https://forge/4; it is merged, but main here has commits that origin/main lacks',
    });
    expect(decided(pilot)).toEqual([]);
    look(pilot, { kind: 'merged', commit: 'm' }, 1000);
    expect(decided(pilot, false, 1000)).toEqual(['landed a', 'start b @1']);
  });

  it('says what it waits for while the remote does not have the merge, as where somebody took it off there', () => {
    const pilot = inReview();
    look(pilot, { kind: 'open', merged: true });
    expect(pilot.graph.entry('a')).toMatchObject({
      status: 'landing',
      reason: `in review: https://forge/4; it is merged, and has landed once ${TO.to} has its commit`,
    });
    expect(decided(pilot)).toEqual([]);
    look(pilot, { kind: 'merged', commit: 'm' }, 1000);
    expect(decided(pilot, false, 1000)).toEqual(['landed a', 'start b @1']);
  });

  it('goes back to its agent on red checks, once for each, and asks a person after the rounds', () => {
    const pilot = inReview({ maxLandingRounds: 1 });
    look(pilot, back);
    expect(pilot.decide(false)).toMatchObject([
      {
        do: 'verdict',
        verdict: {
          kind: 'reopen',
          reopen: { kind: 'red', candidate: 'cand' },
          feedback: { kind: 'review', tail: 'red' },
        },
      },
    ]);
    again(pilot);
    expect(pilot.graph.entry('a')?.review?.seen).toEqual(['check 1']);
    look(pilot, { ...back, about: 'comments', what: 'ann', seen: ['review 2'] } as LookResult);
    expect(pilot.graph.entry('a')).toMatchObject({
      status: 'needs-human',
      reason: expect.stringMatching(
        /^In review, ann asked for changes, and the agent has had it back once: https:\/\/forge\/4/,
      ),
    });
  });

  it('the rest of one long review is no further round', () => {
    const pilot = inReview({ maxLandingRounds: 1 });
    const comments = { ...back, about: 'comments', what: 'ann' } as LookResult;
    for (const n of [1, 2, 3]) {
      look(pilot, { ...comments, seen: [`line ${n}`], ...(n < 3 ? { rest: 3 - n } : {}) } as LookResult);
      expect(pilot.graph.entry('a')).toMatchObject({ status: 'wants-slot', rounds: 1 });
      again(pilot);
    }
    look(pilot, { ...comments, seen: ['line 4'] } as LookResult);
    expect(statusOf(pilot, 'a')).toBe('needs-human');
  });

  it('a forge that limits requests is asked again at its reset, and not before', () => {
    const pilot = inReview();
    look(pilot, { kind: 'unreachable', why: 'the forge limits requests until then', at: 3_600_000 });
    expect(pilot.graph.entry('a')?.review?.at).toBe(3_601_000);
    look(pilot, { kind: 'unreachable', why: 'the forge limits requests until then', at: 10 }, 3_601_000);
    expect(pilot.graph.entry('a')?.review?.at).toBeGreaterThan(3_601_000);
  });

  it('a forge that cannot be asked changes nothing but the reason', () => {
    const pilot = inReview();
    look(pilot, { kind: 'unreachable', why: 'HTTP 502' });
    expect(pilot.graph.entry('a')).toMatchObject({
      status: 'landing',
      reason: 'in review: https://forge/4; the forge cannot be asked (HTTP 502)',
    });
    pilot.decide(false, 1000);
    pilot.looked('a', { kind: 'open' }, 1000);
    expect(pilot.graph.entry('a')?.reason).toBe('in review: https://forge/4');
  });

  it('is told to stop when the run stops: its pull request stays', () => {
    const pilot = inReview();
    pilot.decide(false);
    pilot.looked('a', { kind: 'open' }, 0);
    pilot.stop();
    expect(decided(pilot, false, 5000)).toEqual(['stop a']);
  });

  it('is told to stop when its pull request opens in a run that stops: the run ends', () => {
    const pilot = pilotOf([card('a')], { delivery: TO });
    pilot.decide(false);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['land a']);
    pilot.stop();
    expect(decided(pilot)).toEqual([]);
    pilot.landed('a', opened);
    expect(decided(pilot)).toEqual(['stop a']);
    pilot.childEnded('a', 'stopped');
    expect([pilot.isOver(), statusOf(pilot, 'a')]).toEqual([true, 'pending']);
  });

  it('a look that comes late changes nothing', () => {
    const pilot = inReview();
    look(pilot, { kind: 'merged', commit: 'm' });
    pilot.looked('a', back, 9);
    expect(statusOf(pilot, 'a')).toBe('landed');
  });
});

describe('D2 a forge that takes no pull request', () => {
  const green = { trees: 'a\nb', gate: { commands: [], durationMs: 1 } };
  const waits = (more: object = {}): LandResult => ({
    ...{ kind: 'forge-waits', why: 'the forge fails with 502', green, durationMs: 1 },
    ...more,
  });
  /** `a` is first in the landing queue, and `b` behind it. */
  function queued(): Autopilot {
    const pilot = pilotOf([card('a'), card('b')], { delivery: TO, slots: 2 });
    pilot.decide(false);
    say(pilot, 'a', 'ready');
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).toEqual(['land a']);
    return pilot;
  }

  it('is waited for with a growing time, first in the queue, and no other landing begins; then all go on', () => {
    const pilot = queued();
    const times: number[] = [];
    for (let now = 0, n = 0; n < 12; n++) {
      pilot.landed('a', waits(), now);
      expect(pilot.state.lane).toEqual(['a', 'b']);
      expect(pilot.graph.entry('a')).toMatchObject({ status: 'landing', green });
      expect(decided(pilot, false, now)).toEqual([]);
      const at = pilot.wakeAt() ?? 0;
      times.push(at - now);
      now = at;
      expect(decided(pilot, false, now)).toEqual(['land a']);
    }
    expect(times.slice(0, 4)).toEqual([1000, 2000, 4000, 8000]);
    expect(times.at(-1)).toBe(15 * 60_000);
    pilot.landed('a', opened, 0);
    expect(pilot.state.forge).toBeUndefined();
    expect(pilot.graph.entry('a')).not.toHaveProperty('green');
    expect(decided(pilot)).toContain('land b');
  });

  it('with a limit, waits until its reset, and says until when', () => {
    const pilot = queued();
    const reset = Date.parse('2030-01-01T12:00:00Z');
    pilot.landed('a', waits({ why: 'the forge limits requests until 12:00 UTC', at: reset }), reset - 60_000);
    expect(pilot.wakeAt()).toBe(reset + 1000);
    expect(pilot.graph.entry('a')?.reason).toBe(
      'its pull request waits: the forge limits requests until 12:00 UTC; next try at 12:00:01 UTC',
    );
  });

  it('holds neither a stop nor an end of the run', () => {
    const pilot = queued();
    pilot.landed('a', waits(), 0);
    pilot.stop();
    expect(decided(pilot, false, 0)).toEqual(expect.arrayContaining(['stop a', 'stop b']));
    pilot.childEnded('a', 'stopped');
    pilot.childEnded('b', 'stopped');
    expect([pilot.wakeAt(), pilot.isOver()]).toEqual([undefined, true]);
  });

  it('ends with the words of the closing comment, as a quotation', () => {
    const pilot = inReview();
    look(pilot, { kind: 'closed', by: 'ann', why: 'too big' });
    expect(pilot.decide(false)).toMatchObject([
      {
        verdict: {
          reason: 'pull request 4 was closed by ann without a merge: https://forge/4 (its closing comment: "too big")',
        },
      },
    ]);
  });

  it('a pull request that somebody closed meanwhile ends the idea; a retry may open another one', () => {
    const pilot = queued();
    pilot.landed('a', { kind: 'pull-closed', number: 4, url: 'https://forge/4', by: 'ann', durationMs: 1 });
    expect(pilot.decide(false).filter((one) => one.do === 'verdict')).toMatchObject([
      { idea: 'a', verdict: { kind: 'close', outcome: 'skipped', reason: /4 was closed by ann without a merge/ } },
    ]);
    pilot.childEnded('a', 'skipped', 'closed');
    pilot.command({ verb: 'retry', idea: 'a', id: 'r-1' } as never);
    expect(pilot.graph.entry('a')).toMatchObject({ anew: true });
  });
});
