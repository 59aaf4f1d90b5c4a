/** A command that would change nothing about an idea is refused, with the reason, and not offered. Features: C1 C2 C4. */
import { describe, expect, test } from 'vitest';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { why } from '../../../../src/decide/views/why.js';
import { card, closed, decided, pilotOf, SETTINGS, say, statusOf } from '../support.js';

const possible = (pilot: Autopilot, id: string) => why(id, SETTINGS, pilot.graph, pilot.state)?.possible ?? [];
const idle = (pilot: Autopilot, verb: 'pause' | 'pause-now' | 'stop') => pilot.idleProblem({ verb, idea: 'a' });

function started(over = {}) {
  const pilot = pilotOf([card('a'), card('b')], { slots: 1, ...over });
  decided(pilot);
  return pilot;
}

describe('C1: a pause', () => {
  test('of an idea that pauses already has no effect; one that ends its agent has', () => {
    const pilot = started();
    expect(idle(pilot, 'pause')).toBeUndefined();
    pilot.command({ verb: 'pause', idea: 'a' });
    expect(idle(pilot, 'pause')).toBe(
      'a already pauses after its running step. To pause it now: ralphctl pause a --now',
    );
    expect(idle(pilot, 'pause-now')).toBeUndefined();
    expect(possible(pilot, 'a')).toContain('pause --now');
    expect(possible(pilot, 'a')).not.toContain('pause');
  });

  test.each(['pause', 'pause-now'] as const)('of a paused idea has no effect: %s', (verb) => {
    const pilot = started();
    pilot.command({ verb: 'pause', idea: 'a' });
    say(pilot, 'a', 'paused');
    expect(idle(pilot, verb)).toBe('a is already paused. Resume with: ralphctl resume a');
    expect(possible(pilot, 'a')).not.toContain('pause');
    expect(possible(pilot, 'a')).not.toContain('pause --now');
    expect(possible(pilot, 'a')).toContain('resume');
  });

  test('has an effect again once a person has said resume, before the idea has', () => {
    const pilot = started();
    pilot.command({ verb: 'pause', idea: 'a' });
    say(pilot, 'a', 'paused');
    pilot.command({ verb: 'resume', idea: 'a' });
    expect(statusOf(pilot, 'a')).toBe('paused');
    expect(idle(pilot, 'pause')).toBeUndefined();
  });

  test('of an idea that the pause of the run holds has no effect, whatever it was told before', () => {
    const pilot = started();
    pilot.command({ verb: 'pause', idea: 'a' });
    pilot.command({ verb: 'resume', idea: 'a' });
    pilot.pause();
    say(pilot, 'a', 'paused');
    expect(idle(pilot, 'pause')).toMatch(/^a is already paused/);
  });

  test('of an idea that waits for an approval holds it after that', () => {
    const pilot = started({ mode: 'step' });
    say(pilot, 'a', 'approval');
    expect(idle(pilot, 'pause')).toBeUndefined();
  });

  test('at the gate says that the gate is ended, not the agent', () => {
    const pilot = started({ gatesBeside: 1 });
    expect(pilot.command({ verb: 'pause-now', idea: 'a' })).toEqual({
      done: 'a pauses now: its work is kept; where its agent still runs, it is ended and its iteration is not charged. Resume with: ralphctl resume a',
    });
    pilot.command({ verb: 'resume', idea: 'a' });
    say(pilot, 'a', 'gating');
    expect(pilot.command({ verb: 'pause-now', idea: 'a' })).toEqual({
      done: 'a pauses now: its agent has ended already, its work is kept, its gate is ended and runs again. Resume with: ralphctl resume a',
    });
  });
});

test('C1: a second stop of an idea has no effect, and neither has a pause after it', () => {
  const pilot = started();
  expect(idle(pilot, 'stop')).toBeUndefined();
  pilot.command({ verb: 'stop', idea: 'a' });
  expect(idle(pilot, 'stop')).toBe('a already stops after its running step');
  expect(idle(pilot, 'pause')).toBe('a already stops after its running step');
  expect(possible(pilot, 'a')).not.toContain('stop');
});

test('C1: a pause now after a stop says that the idea stops, and that its agent is ended', () => {
  const alone = pilotOf([card('a')]);
  decided(alone);
  alone.command({ verb: 'stop', idea: 'a' });
  expect(alone.command({ verb: 'pause-now', idea: 'a' })).toEqual({
    done: 'a stops now: its work is kept; where its agent still runs, it is ended and its iteration is not charged. Nothing else is left to do, so the run ends then. The next one starts a again: ralphctl start',
  });
  const two = started();
  two.command({ verb: 'stop', idea: 'a' });
  expect(two.command({ verb: 'pause-now', idea: 'a' })).toEqual({
    done: 'a stops now: its work is kept; where its agent still runs, it is ended and its iteration is not charged. Resume it in this run with: ralphctl resume a. The next run starts it again',
  });
  closed(two, 'a', 'stopped');
  expect(two.command({ verb: 'resume', idea: 'a' })).toMatchObject({
    done: expect.stringContaining('a can start again'),
  });
});

describe('C4: what waits for the next prompt names the command that makes one', () => {
  const hint = (pilot: Autopilot) => pilot.command({ verb: 'hint', idea: 'a', text: 'use tabs' });
  test.each([
    ['blocked', 'unblock'],
    ['failed', 'retry'],
    ['timeout', 'retry'],
  ] as const)('%s: %s', (outcome, verb) => {
    const pilot = started();
    closed(pilot, 'a', outcome);
    expect(possible(pilot, 'a')).toContain(verb);
    expect(hint(pilot)).toEqual({
      done: `a has your text; the first prompt after this has it: ralphctl ${verb} a`,
    });
    expect(pilot.command({ verb: 'edit', idea: 'a', title: 'A' })).toEqual({
      done: `changed; it applies when a starts: ralphctl ${verb} a`,
    });
  });

  test('held: resume; to do: none', () => {
    const pilot = pilotOf([card('a')]);
    expect(hint(pilot)).toEqual({ done: 'a gets your text with its first prompt' });
    pilot.command({ verb: 'pause', idea: 'a' });
    expect(hint(pilot)).toEqual({ done: 'a has your text; the first prompt after this has it: ralphctl resume a' });
  });
});

test('C2: a clean-up without a worktree says so, and leaves the reason of the idea', () => {
  const pilot = started();
  closed(pilot, 'a', 'blocked', 'no key');
  pilot.command({ verb: 'cleanup', idea: 'a' });
  pilot.gitTaskDone('a', { task: 'cleanup', result: { removed: true, none: true } });
  expect(pilot.graph.entry('a')?.reason).toBe('no key');
  expect(pilot.takeTold().at(-1)).toMatchObject({
    verb: 'cleanup',
    done: 'a has no worktree, so there is nothing to remove',
  });
});

test('C1: a pause of an idea that asks has no running step to wait for', () => {
  const pilot = started();
  say(pilot, 'a', 'needs-human', { reason: 'Land it?', approvable: true });
  const said = JSON.stringify(pilot.command({ verb: 'pause', idea: 'a' }));
  expect(said).toContain('a has no running step: it waits for an approval. It pauses before its next step');
  expect(said).not.toContain('after its running step');
});
