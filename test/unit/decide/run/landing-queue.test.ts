import { describe, expect, test } from 'vitest';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import type { LandResult } from '../../../../src/protocol/git-work.js';
import type { IdeaCard } from '../../../../src/protocol/idea.js';
import type { RunSettings } from '../../../../src/protocol/run-settings.js';
import {
  card,
  closed,
  conflictResult,
  decided,
  landedResult,
  pilotOf,
  say,
  stats,
  statusOf,
  workOf,
} from '../support.js';

const RED_RESULT = {
  kind: 'red',
  onto: 'tip',
  candidate: 'cand',
  gate: {
    pass: false,
    commands: [],
    failure: { command: 'npm test', exitCode: 2, timedOut: false, tail: 'boom', log: '/log' },
    durationMs: 1,
  },
  durationMs: 5,
} satisfies LandResult;

/** One idea whose landing is under way. */
function landing(over: Partial<RunSettings> = {}, more: IdeaCard[] = []): Autopilot {
  const pilot = pilotOf([card('a'), ...more], over);
  decided(pilot);
  say(pilot, 'a', 'ready');
  expect(decided(pilot)).toContain('land a');
  return pilot;
}

describe('D1 landing lane', () => {
  test('D1: one landing at a time, first come first served', () => {
    const pilot = pilotOf([card('a'), card('b'), card('c')]);
    decided(pilot);
    for (const idea of ['c', 'a', 'b']) say(pilot, idea, 'ready');
    expect(decided(pilot)).toEqual(['land c']);
    expect(decided(pilot)).toEqual([]);
    pilot.landed('c', landedResult());
    expect(decided(pilot)).toEqual(['landed c', 'land a']);
    pilot.landed('a', landedResult());
    expect(decided(pilot)).toEqual(['landed a', 'land b']);
    pilot.landed('b', landedResult());
    decided(pilot);
    expect(pilot.isOver()).toBe(true);
    expect(pilot.state.totals).toMatchObject({ landings: 3, commits: 6, bounces: 0 });
  });

  test('D1: a conflict goes back to its agent, which gets a slot before any new idea', () => {
    const pilot = landing({ slots: 1 }, [card('b'), card('c')]);
    pilot.landed('a', conflictResult(['x.ts']));
    expect(statusOf(pilot, 'a')).toBe('wants-slot');
    expect(decided(pilot)).toEqual([]);
    closed(pilot, 'b', 'blocked');
    const [command] = pilot.decide(false);
    expect(command).toEqual({
      do: 'verdict',
      idea: 'a',
      verdict: {
        kind: 'reopen',
        agentName: 'ed-001',
        reopen: { kind: 'conflict', onto: 'tip', files: ['x.ts'] },
        feedback: { kind: 'landing-conflict', files: ['x.ts'], detail: 'both changed it' },
      },
    });
    expect(statusOf(pilot, 'c')).toBe('pending');
  });

  test('D1: a red gate on the merged tree goes back with what failed', () => {
    const pilot = landing();
    pilot.landed('a', RED_RESULT);
    expect(pilot.decide(false)).toEqual([
      {
        do: 'verdict',
        idea: 'a',
        verdict: {
          kind: 'reopen',
          agentName: 'ed-001',
          reopen: { kind: 'red', onto: 'tip', candidate: 'cand' },
          feedback: { kind: 'landing-red', command: 'npm test', exitCode: 2, tail: 'boom', log: '/log' },
        },
      },
    ]);
  });

  test('D1: after the allowed rounds a person is asked; advice buys new rounds and still carries the conflict', () => {
    const pilot = landing({ maxLandingRounds: 2 });
    for (let round = 1; round <= 2; round++) {
      pilot.landed('a', conflictResult());
      expect(decided(pilot)).toEqual(['reopen a']);
      say(pilot, 'a', 'ready');
      expect(decided(pilot)).toEqual(['land a']);
    }
    pilot.landed('a', conflictResult(['last.ts']));
    expect(decided(pilot)).toEqual(['ask a']);
    expect(statusOf(pilot, 'a')).toBe('needs-human');
    expect(pilot.graph.entry('a')?.reason).toContain('last.ts');
    say(pilot, 'a', 'wants-slot');
    expect(decided(pilot)).toEqual(['reopen a']);
    say(pilot, 'a', 'ready');
    decided(pilot);
    pilot.landed('a', conflictResult());
    expect(decided(pilot)).toEqual(['reopen a']);
  });

  test('D1: with no rounds allowed the first conflict asks', () => {
    const pilot = landing({ maxLandingRounds: 0 });
    pilot.landed('a', conflictResult());
    expect(decided(pilot)).toEqual(['ask a']);
  });

  test('D1: a landing that could not be carried out asks a person and lets the next one land', () => {
    const pilot = pilotOf([card('a'), card('b')]);
    decided(pilot);
    say(pilot, 'a', 'ready');
    say(pilot, 'b', 'ready');
    decided(pilot);
    pilot.landingFailed('a', 'the target branch is gone.');
    expect(decided(pilot)).toEqual(['ask a', 'land b']);
    expect(pilot.graph.entry('a')?.reason).toBe(
      'Landing failed: the target branch is gone. Fix it, then reply with anything to retry.',
    );
    say(pilot, 'a', 'wants-slot');
    expect(decided(pilot)).toEqual(['grant a @1']);
  });

  test('D1: an answer to a landing that failed for the machine queues it to land again, without an agent run', () => {
    const pilot = landing();
    pilot.landingFailed('a', 'the disk is read-only', true);
    expect(pilot.decide(false, 0)).toMatchObject([{ do: 'verdict', idea: 'a', verdict: { kind: 'ask', lands: true } }]);
    say(pilot, 'a', 'ready');
    expect(decided(pilot)).toEqual(['land a']);
    pilot.landingFailed('a', 'main was rewound');
    const [asked] = pilot.decide(false, 0);
    expect(asked).toMatchObject({ do: 'verdict', verdict: { kind: 'ask' } });
    expect(asked).not.toHaveProperty('verdict.lands');
  });

  test('D1: a result that comes twice, or for an idea that is not landing, changes nothing', () => {
    const pilot = landing({}, [card('b')]);
    pilot.landed('b', landedResult());
    pilot.landingFailed('b', 'no');
    expect(pilot.state.landing).toBe('a');
    expect(statusOf(pilot, 'b')).toBe('running');
    pilot.landed('a', landedResult('one'));
    pilot.landed('a', landedResult('two'));
    pilot.landed('a', conflictResult());
    expect(pilot.graph.entry('a')).toMatchObject({ status: 'landed', commit: 'one' });
    expect(pilot.state.totals.landings).toBe(1);
    expect(decided(pilot)).toEqual(['landed a']);
  });

  test('D1: an idea that says ready without its work is not lost: landing fails and asks', () => {
    const pilot = pilotOf([card('a')]);
    decided(pilot);
    pilot.report({ idea: 'a', life: 1, seq: 1, kind: 'ready', iterations: stats(1) });
    expect(decided(pilot)).toEqual(['land a']);
    expect(pilot.graph.entry('a')?.work).toBeUndefined();
  });

  test('D1: work of an earlier round never lands in place of newer work', () => {
    const pilot = landing();
    pilot.landed('a', conflictResult());
    decided(pilot);
    expect(pilot.graph.entry('a')?.work).toBeUndefined();
    say(pilot, 'a', 'ready', { work: workOf('a', 'newer') });
    expect(pilot.graph.entry('a')?.work?.head).toBe('newer');
  });

  test('D1: a child that ends while it queues to land leaves the lane', () => {
    const pilot = pilotOf([card('a'), card('b')]);
    decided(pilot);
    say(pilot, 'a', 'ready');
    say(pilot, 'b', 'ready');
    decided(pilot);
    pilot.childEnded('b', 'failed', 'terminated');
    expect(pilot.state.lane).toEqual(['a']);
    expect(pilot.graph.entry('b')).toMatchObject({ status: 'failed', reason: 'terminated' });
    pilot.landed('a', landedResult());
    expect(decided(pilot)).toEqual(['landed a']);
    expect(pilot.isOver()).toBe(true);
  });

  test('D1: a child that ends during its landing has landed if the landing goes through', () => {
    const pilot = landing();
    pilot.childEnded('a', 'failed', 'terminated');
    expect(statusOf(pilot, 'a')).toBe('landing');
    expect(pilot.isOver()).toBe(false);
    pilot.landed('a', landedResult());
    expect(pilot.graph.entry('a')).toMatchObject({ status: 'landed', commit: 'c0ffee' });
    expect(pilot.state.failuresInARow).toBe(0);
  });

  test.each([
    ['a conflict', (pilot: Autopilot) => pilot.landed('a', conflictResult())],
    ['a breakdown', (pilot: Autopilot) => pilot.landingFailed('a', 'disk full')],
  ])('D1: a child that ends during its landing ends as it ended if the landing meets %s', (_name, meet) => {
    for (const outcome of ['failed', 'blocked', 'timeout'] as const) {
      const pilot = landing();
      pilot.childEnded('a', outcome, 'gone');
      meet(pilot);
      expect(pilot.graph.entry('a')).toMatchObject({ status: outcome, reason: 'gone' });
      expect(decided(pilot)).toEqual([]);
      expect(pilot.isOver()).toBe(true);
    }
    const stopped = landing();
    stopped.childEnded('a', 'stopped');
    meet(stopped);
    expect(statusOf(stopped, 'a')).toBe('pending');
  });

  test('D1: how one child ended during its landing is not taken for the next landing', () => {
    const pilot = landing({}, [card('b')]);
    pilot.childEnded('a', 'failed', 'terminated');
    pilot.landed('a', landedResult());
    say(pilot, 'b', 'ready');
    decided(pilot);
    pilot.landed('b', conflictResult());
    expect(decided(pilot)).toEqual(['reopen b']);
  });

  test('D1: a conflict of an earlier life is not told to a new child', () => {
    const pilot = landing({ slots: 1, maxLandingRounds: 0 });
    pilot.landed('a', conflictResult());
    decided(pilot);
    closed(pilot, 'a', 'stopped');
    expect(decided(pilot)).toEqual(['start a @1']);
    say(pilot, 'a', 'needs-human', { reason: 'what now?' });
    say(pilot, 'a', 'wants-slot');
    expect(decided(pilot)).toEqual(['grant a @1']);
  });
});

test('C1: what a person took off the target is told on its own idea, not on the one that landed next', () => {
  const pilot = pilotOf([card('a'), card('b')]);
  decided(pilot);
  for (const idea of ['a', 'b']) say(pilot, idea, 'ready');
  decided(pilot);
  pilot.landed('a', landedResult());
  decided(pilot);
  const reverted = [
    { idea: 'a', by: 'abcdef01', subject: 'my edit' },
    { idea: 'old-1', by: 'abcdef01', subject: 'my edit', files: ['x.ts'], more: 2 },
  ];
  pilot.landed('b', { ...landedResult('beef', 'your checkout is behind'), reverted });
  const reasons = pilot.state.entries.map(({ card: { id }, reason }) => [id, reason]);
  expect(reasons).toEqual([
    ['a', 'abcdef01 (my edit) took it off main again; to run it again, once this run is over: ralphctl retry a'],
    // This run has no such idea.
    ['b', 'abcdef01 (my edit) took part of old-1 off main again: x.ts and 2 more. your checkout is behind'],
  ]);
  expect(pilot.state.entries.map(({ status, commit }) => [status, commit])).toEqual([
    ['landed', 'c0ffee'],
    ['landed', 'beef'],
  ]);
});
