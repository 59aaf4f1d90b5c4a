import { describe, expect, test } from 'vitest';
import { addPatch, patchedLimits } from '../../../../src/decide/idea/amendments.js';
import { carriedOver, takeStartState } from '../../../../src/decide/idea/carry.js';
import { Autopilot } from '../../../../src/decide/run/autopilot.js';
import type { Rules } from '../../../../src/decide/run/rules.js';
import { why } from '../../../../src/decide/views/why.js';
import type { Intervention } from '../../../../src/protocol/command.js';
import { saysSplit, splitsNow } from '../../../../src/protocol/split.js';
import { LIMITS } from '../iteration.js';
import {
  card,
  closed,
  conflictResult,
  decided,
  landedResult,
  pilotOf,
  say,
  settings,
  slotOf,
  statusOf,
} from '../support.js';

const ideas = (count: number) => Array.from({ length: count }, (_, at) => card(`i${at + 1}`));
const entry = (pilot: Autopilot, id: string) => {
  const found = pilot.graph.entry(id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};
function done(pilot: Autopilot, command: Intervention): string {
  const problem = pilot.commandProblem(command);
  const outcome = pilot.command(command);
  // Whatever the validator says is what happens.
  expect('refusal' in outcome ? outcome.refusal : undefined).toBe(problem);
  if (!('done' in outcome)) throw new Error(JSON.stringify(outcome));
  return outcome.done;
}
const refusal = (pilot: Autopilot, command: unknown): string =>
  pilot.commandProblem(command as Intervention) ?? 'legal';
const ended = (
  pilot: Autopilot,
  id: string,
  outcome: 'failed' | 'blocked' | 'timeout' | 'stopped' = 'failed',
): void => {
  decided(pilot);
  closed(pilot, id, outcome);
};

describe('commands from outside', () => {
  test.each<[unknown, RegExp]>([
    [undefined, /an object with a verb/],
    [{}, /no command undefined/],
    [{ verb: 'explode' }, /no command explode/],
    [{ verb: 'slots', n: 101 }, /whole number from 1 to 100/],
    [{ verb: 'slots', n: '3' }, /whole number/],
    [{ verb: 'mode', mode: 'turbo' }, /autopilot, semi-auto, step/],
    [{ verb: 'retry' }, /retry needs an idea/],
    [{ verb: 'abort', idea: 'i1' }, /to the whole run/],
    [{ verb: 'retry', idea: 7 }, /idea must be an id/],
    [{ verb: 'retry', idea: 'nope' }, /no idea nope/],
    [{ verb: 'hint', idea: 'i1', text: 'x'.repeat(9000) }, /longer than 8000/],
    [{ verb: 'hint', idea: 'i1', text: ' ' }, /needs a text/],
    [{ verb: 'limit', idea: 'i1', n: 0 }, /iterations to add/],
    [{ verb: 'limit', idea: 'i1', n: 10_001 }, /1 to 10000$/],
    [{ verb: 'score', idea: 'i1', n: 1_000_001 }, /whole number from -1000000 to 1000000$/],
    [{ verb: 'edit', idea: 'i1' }, /changes nothing/],
    [{ verb: 'edit', idea: 'i1', patch: { timeoutMs: 6e304 } }, /timeoutMs must be a whole number from 1 to/],
    [{ verb: 'edit', idea: 'i1', patch: { iterationTimeoutMs: null } }, /iterationTimeoutMs must be a whole number/],
    [{ verb: 'edit', idea: 'i1', patch: { maxIterations: 'many' } }, /maxIterations must be a whole number/],
    [{ verb: 'edit', idea: 'i1', patch: { toString: 1 } }, /no limit toString/],
    [{ verb: 'edit', idea: 'i1', patch: [] }, /limits must be an object/],
    [{ verb: 'edit', idea: 'i1', title: 7 }, /title must be a text/],
    [{ verb: 'edit', idea: 'i1', revision: 0.5 }, /revision must be a whole number/],
    [{ verb: 'retry', idea: 'i1', id: {} }, /id must be a text/],
    [{ verb: 'split', idea: 'i1' }, /needs the ideas/],
    [{ verb: 'split', idea: 'i1', cards: [{ id: 'p', title: 'P' }] }, /does not name i1/],
    [{ verb: 'split', idea: 'i1', cards: [{ id: 'i2', title: 'P', parent: 'i1' }] }, /already an idea i2/],
  ])('A5: %j is refused with a sentence and changes nothing', (command, words) => {
    const pilot = pilotOf(ideas(2));
    const before = JSON.stringify(pilot.state);
    expect(refusal(pilot, command)).toMatch(words);
    expect(JSON.stringify(pilot.state)).toBe(before);
  });

  test('C1: told twice under one id, it counts once', () => {
    const pilot = pilotOf(ideas(1));
    ended(pilot, 'i1');
    done(pilot, { verb: 'retry', idea: 'i1', id: 'once' });
    expect(pilot.command({ verb: 'retry', idea: 'i1', id: 'once' })).toEqual({ done: 'already taken' });
    expect(entry(pilot, 'i1').retries).toBe(1);
  });

  test('C1: every command leaves its reason, the refused ones why', () => {
    const pilot = pilotOf(ideas(1));
    pilot.command({ verb: 'pause', reason: 'lunch' });
    pilot.command({ verb: 'pause' });
    expect(pilot.takeTold()).toEqual([
      expect.objectContaining({ verb: 'pause', reason: 'lunch', done: expect.any(String) }),
      expect.objectContaining({ verb: 'pause', refusal: expect.stringContaining('Possible now') }),
    ]);
  });
});

describe('C2 C3 C4 recovery', () => {
  test.each(['failed', 'blocked', 'timeout'] as const)(
    'retry of an idea that is %s: pending, one more retry',
    (outcome) => {
      const pilot = pilotOf(ideas(1));
      ended(pilot, 'i1', outcome);
      done(pilot, { verb: 'retry', idea: 'i1', reason: 'network is back' });
      expect(entry(pilot, 'i1')).toMatchObject({
        status: 'pending',
        retries: 1,
        told: { verb: 'retry', reason: 'network is back' },
      });
      expect(decided(pilot)).toEqual(['start i1 @1']);
      expect(takeStartState(pilot, entry(pilot, 'i1'))).toBeUndefined();
    },
  );

  test('C2: retry --fresh drops the work first, and only then is it pending for a start', () => {
    const pilot = pilotOf(ideas(1));
    ended(pilot, 'i1');
    done(pilot, { verb: 'retry', idea: 'i1', fresh: true });
    expect(decided(pilot)).toEqual(['rollback i1']);
    expect(refusal(pilot, { verb: 'retry', idea: 'i1' })).toMatch(/has a git task running/);
    pilot.gitTaskDone('i1', { task: 'rollback', result: { commits: 2, saved: 'refs/x' } });
    expect(decided(pilot)).toEqual(['start i1 @1']);
  });

  test.each(['skip', 'abandon'] as const)(
    'C2 C3: after %s a rollback takes the work, and only a retry the idea',
    (verb) => {
      const pilot = pilotOf(ideas(1));
      ended(pilot, 'i1');
      done(pilot, { verb, idea: 'i1' });
      const { status } = entry(pilot, 'i1');
      expect(done(pilot, { verb: 'rollback', idea: 'i1' })).toContain(`then it stays ${status}`);
      decided(pilot);
      pilot.gitTaskDone('i1', { task: 'rollback', result: { commits: 2, saved: 'refs/x' } });
      expect(decided(pilot)).toEqual([]);
      expect(entry(pilot, 'i1')).toMatchObject({
        status,
        retries: 0,
        reason: expect.stringContaining('2 commits taken'),
      });
      done(pilot, { verb: 'retry', idea: 'i1', fresh: verb === 'skip' });
      decided(pilot);
      // Another command meanwhile does not make the retry a rollback.
      if (verb === 'skip') done(pilot, { verb: 'score', idea: 'i1', n: 3 });
      if (verb === 'skip') pilot.gitTaskDone('i1', { task: 'rollback', result: { commits: 0 } });
      expect(entry(pilot, 'i1')).toMatchObject({ status: verb === 'skip' ? 'pending' : 'running', retries: 1 });
    },
  );

  test('A2: a rollback is no retry, as an older run had it', () => {
    const retriesOf = (rules?: Rules): number => {
      const pilot = new Autopilot(pilotOf(ideas(1)).state, settings(), rules);
      ended(pilot, 'i1');
      done(pilot, { verb: 'rollback', idea: 'i1' });
      decided(pilot);
      pilot.gitTaskDone('i1', { task: 'rollback', result: { commits: 2 } });
      return entry(pilot, 'i1').retries;
    };
    expect(retriesOf()).toBe(0);
    expect(retriesOf(() => false)).toBe(1);
  });

  test('C2: a rollback that fails keeps the idea back and says why', () => {
    const pilot = pilotOf(ideas(1));
    ended(pilot, 'i1');
    done(pilot, { verb: 'rollback', idea: 'i1' });
    decided(pilot);
    pilot.gitTaskDone('i1', { task: 'rollback', problem: 'disk full' });
    expect(entry(pilot, 'i1')).toMatchObject({
      status: 'failed',
      hold: true,
      reason: expect.stringContaining('disk full'),
    });
    expect(decided(pilot)).toEqual([]);
  });

  test('C2: rollback of a running idea ends it first', () => {
    const pilot = pilotOf(ideas(2), { slots: 1 });
    decided(pilot);
    done(pilot, { verb: 'rollback', idea: 'i1' });
    expect(decided(pilot)).toEqual(['abort i1']);
    closed(pilot, 'i1', 'stopped');
    expect(decided(pilot)).toEqual(['rollback i1', 'start i2 @1']);
    pilot.gitTaskDone('i1', { task: 'rollback', result: { commits: 0 } });
    expect(statusOf(pilot, 'i1')).toBe('pending');
  });

  test('C2: cleanup leaves the status as it is', () => {
    const pilot = pilotOf(ideas(1));
    ended(pilot, 'i1');
    done(pilot, { verb: 'cleanup', idea: 'i1' });
    expect(decided(pilot)).toEqual(['cleanup i1']);
    pilot.gitTaskDone('i1', { task: 'cleanup', result: { removed: true, saved: 'refs/y' } });
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'failed', reason: expect.stringContaining('was removed') });
    expect(entry(pilot, 'i1').busy).toBeUndefined();
  });

  test('C3: limit for one that ran out goes on counting where it was; retry begins anew', () => {
    const pilot = pilotOf(ideas(1));
    ended(pilot, 'i1', 'timeout');
    done(pilot, { verb: 'limit', idea: 'i1', n: 5 });
    decided(pilot);
    expect(takeStartState(pilot, entry(pilot, 'i1'))).toEqual({ patch: { extra: 5 }, iteration: 1 });
    closed(pilot, 'i1', 'timeout');
    done(pilot, { verb: 'retry', idea: 'i1' });
    decided(pilot);
    expect(takeStartState(pilot, entry(pilot, 'i1'))).toEqual({ patch: { extra: 5 } });
  });

  test('C3: the reason of a skip does not repeat the status, which every view puts before it', () => {
    const pilot = pilotOf(ideas(2));
    done(pilot, { verb: 'skip', idea: 'i1' });
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'skipped', reason: 'by a person' });
    done(pilot, { verb: 'abandon', idea: 'i2' });
    expect(entry(pilot, 'i2')).toMatchObject({ status: 'abandoned', reason: 'by a person' });
  });

  test('B10 C3: a single attempt gets no more iterations, and hears what helps', () => {
    const pilot = pilotOf([card('i1', { single: true })]);
    const more = { verb: 'limit', idea: 'i1', n: 5 } as const;
    const longer = 'For a longer agent run: ralphctl edit i1 --iteration-timeout MINUTES';
    const none = 'i1 has a single attempt (ralph: false), so more iterations do not help it.';
    expect(refusal(pilot, more)).toBe(`${none} ${longer}`);
    ended(pilot, 'i1', 'timeout');
    expect(refusal(pilot, more)).toBe(`${none} To try it again: ralphctl retry i1. ${longer}`);
    expect(refusal(pilot, { verb: 'resume', idea: 'i1' })).not.toContain('limit');
    expect(entry(pilot, 'i1').patch).toBeUndefined();
  });

  test('B10 C3: an edit of the iterations of a single attempt says that it has no effect', () => {
    const none = 'But i1 has a single attempt (ralph: false), so more iterations do not help it.';
    for (const begun of [false, true]) {
      const pilot = pilotOf([card('i1', { single: true })]);
      if (begun) decided(pilot);
      expect(done(pilot, { verb: 'edit', idea: 'i1', patch: { maxIterations: 9 } })).toContain(none);
      expect(done(pilot, { verb: 'edit', idea: 'i1', patch: { timeoutMs: 60_000 } })).not.toContain('single attempt');
    }
  });

  test('C3: split makes a group, and what waited waits for all parts', () => {
    const pilot = pilotOf([card('i1'), card('after', { dependsOn: ['i1'] })], { slots: 3 });
    ended(pilot, 'i1', 'timeout');
    const cards = [card('i1-1', { parent: 'i1' }), card('i1-2', { parent: 'i1' })];
    const said = done(pilot, { verb: 'split', idea: 'i1', cards });
    // Views know the split by these.
    expect([splitsNow('i1', said), saysSplit(entry(pilot, 'i1').reason)]).toEqual([true, true]);
    expect(decided(pilot)).toEqual(['start i1-1 @1', 'start i1-2 @2']);
    for (const id of ['i1-1', 'i1-2']) {
      expect(statusOf(pilot, 'after')).toBe('pending');
      say(pilot, id, 'ready');
      expect(decided(pilot)).toContain(`land ${id}`);
      pilot.landed(id, landedResult());
    }
    expect(decided(pilot)).toEqual(['landed i1-2', 'start after @1']);
    expect(refusal(pilot, { verb: 'retry', idea: 'i1' })).toMatch(/is an epic/);
  });

  test('C2: a landed idea is undone in the lane, one thing at a time, and kept back', () => {
    const pilot = pilotOf([card('i1'), card('i2'), card('i3', { dependsOn: ['i1'] })], { slots: 2 });
    decided(pilot);
    say(pilot, 'i1', 'ready');
    decided(pilot);
    pilot.landed('i1', landedResult());
    decided(pilot);
    say(pilot, 'i2', 'ready');
    decided(pilot);
    done(pilot, { verb: 'rollback', idea: 'i1' });
    expect(decided(pilot)).toEqual([]);
    closed(pilot, 'i3', 'failed');
    pilot.landed('i2', landedResult());
    expect(decided(pilot)).toContain('undo i1');
    const note = 'a.txt in /repo has edits. Before you commit there, run: ralphctl sync';
    pilot.undone('i1', { kind: 'undone', commit: 'abcdef1234', commits: 1, durationMs: 1, note });
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'pending', hold: true });
    expect(entry(pilot, 'i1').reason).toBe(
      `taken off main by abcdef12; start it again with: ralphctl retry i1. ${note}`,
    );
    expect(pilot.graph.isDone('i1')).toBe(false);
    // The next run leaves it out, too.
    expect(carriedOver(pilot.state.entries)).toMatchObject({ kept: [{ idea: 'i1', verb: 'rollback' }] });
    done(pilot, { verb: 'retry', idea: 'i3' });
    expect(decided(pilot)).toEqual([]);
    done(pilot, { verb: 'retry', idea: 'i1' });
    expect(carriedOver(pilot.state.entries).kept).toBeUndefined();
    expect(entry(pilot, 'i1').retries).toBe(1);
    expect(decided(pilot)).toEqual(['start i1 @1']);
  });

  test.each<[Parameters<Autopilot['undone']>[1], RegExp]>([
    [{ kind: 'nothing' }, /does not contain it/],
    [
      { kind: 'nothing', reverted: [{ idea: 'i1', by: '12345678', subject: 'Revert "x"' }] },
      /12345678 \(Revert "x"\) took it off main again; .*: ralphctl retry i1/,
    ],
    [
      { kind: 'nothing', lost: 'abcdef12' },
      /i1 landed as abcdef12, which main does not contain any more: it was reset or rewritten; .*: ralphctl start/,
    ],
    [{ kind: 'failed', problem: 'no disk' }, /no disk/],
    [{ kind: 'conflict', onto: 't', files: ['a.ts'], detail: '', durationMs: 1 }, /a\.ts/],
  ])('C2: an undo that does not work out leaves it landed: %j', (result, words) => {
    const pilot = pilotOf(ideas(1));
    decided(pilot);
    say(pilot, 'i1', 'ready');
    decided(pilot);
    pilot.landed('i1', landedResult());
    pilot.command({ verb: 'rollback', idea: 'i1' });
    expect(decided(pilot)).toContain('undo i1');
    pilot.takeTold();
    pilot.undone('i1', result);
    // What is not there is not said to stay.
    expect(pilot.takeTold().at(-1)?.done).toMatch(
      result.kind === 'nothing' ? /^there is nothing to take back of i1: / : /^i1 stays landed: /,
    );
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'landed', reason: expect.stringMatching(words) });
    expect(pilot.graph.isDone('i1')).toBe(true);
  });
});

describe('C1 one idea', () => {
  test('stop: ended at its boundary, then kept back until it is let go', () => {
    const pilot = pilotOf(ideas(2), { slots: 1 });
    decided(pilot);
    expect(done(pilot, { verb: 'stop', idea: 'i1', reason: 'too early' })).toMatch(
      /^i1 stops: its running iteration ends first, .*: ralphctl resume i1\. The next run starts it again$/,
    );
    expect(decided(pilot)).toEqual(['stop i1']);
    closed(pilot, 'i1', 'stopped');
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'pending', hold: true, reason: 'too early' });
    expect(decided(pilot)).toEqual(['start i2 @1']);
    closed(pilot, 'i2', 'blocked');
    expect(pilot.isOver()).toBe(true);
    done(pilot, { verb: 'resume', idea: 'i1' });
    expect(decided(pilot)).toEqual(['start i1 @1']);
  });

  test('a stop of an idea that waits for a slot names no running iteration', () => {
    const pilot = pilotOf(ideas(2), { slots: 1 });
    decided(pilot);
    say(pilot, 'i1', 'wants-slot');
    expect(done(pilot, { verb: 'stop', idea: 'i1' })).toMatch(
      /^i1 stops: no iteration of it is running, then it waits/,
    );
  });

  test('C3: the stop of the last idea that works says that the run ends, and not how to resume it', () => {
    const pilot = pilotOf(ideas(3), { slots: 1 });
    ended(pilot, 'i1', 'blocked');
    done(pilot, { verb: 'skip', idea: 'i3' });
    expect(decided(pilot)).toEqual(['start i2 @1']);
    expect(done(pilot, { verb: 'stop', idea: 'i2' })).toBe(
      'i2 stops: its running iteration ends first, and its work is kept. Nothing else is left to do, so the run ends then. The next one starts i2 again: ralphctl start',
    );
    ended(pilot, 'i2', 'stopped');
    expect(pilot.isOver()).toBe(true);
  });

  test('in a run that a threshold paused, what starts an idea again names the one command that resumes the run', () => {
    const pilot = pilotOf(ideas(3), { slots: 1, errorThreshold: 1 });
    done(pilot, { verb: 'stop', idea: 'i3' });
    ended(pilot, 'i1');
    const ask = 'The run is paused, so it starts nothing until: ralphctl review';
    const shown = (id: string) => why(id, settings(), pilot.graph, pilot.state);
    for (const id of ['i2', 'i3'])
      expect(shown(id)?.paused).toBe(
        '1 idea failed one after another; look at them, then resume with: ralphctl review',
      );
    expect(shown('i1')?.paused).toBeUndefined();
    expect(done(pilot, { verb: 'resume', idea: 'i3' })).toBe(`i3 can start again. ${ask}`);
    expect(done(pilot, { verb: 'retry', idea: 'i1' })).toContain(`its work so far is kept. ${ask}`);
    expect(decided(pilot)).toEqual([]);
    done(pilot, { verb: 'review' });
    expect(shown('i2')?.paused).toBeUndefined();
    done(pilot, { verb: 'stop', idea: 'i2' });
    expect(done(pilot, { verb: 'resume', idea: 'i2' })).toBe('i2 can start again');
    done(pilot, { verb: 'pause', reason: 'lunch' });
    expect(shown('i2')?.paused).toBe('lunch; resume it with: ralphctl resume');
  });

  test('an idea that resumes alone says that its run stays paused', () => {
    const pilot = pilotOf(ideas(2), { slots: 2 });
    decided(pilot);
    say(pilot, 'i1', 'paused');
    expect(done(pilot, { verb: 'resume', idea: 'i1' })).toBe('i1 resumes');
    done(pilot, { verb: 'pause' });
    say(pilot, 'i1', 'paused');
    say(pilot, 'i2', 'paused');
    decided(pilot);
    expect(done(pilot, { verb: 'resume', idea: 'i1' })).toBe(
      'i1 resumes. The run stays paused, and its other ideas with it until: ralphctl resume',
    );
    expect(decided(pilot)).toEqual(['resume i1']);
  });

  test('a ready idea that is being ended does not begin to land', () => {
    const pilot = pilotOf(ideas(2), { slots: 2 });
    decided(pilot);
    pilot.pause();
    say(pilot, 'i1', 'ready');
    say(pilot, 'i2', 'ready');
    decided(pilot);
    done(pilot, { verb: 'skip', idea: 'i1' });
    pilot.resume();
    expect(decided(pilot)).toContain('land i2');
    closed(pilot, 'i1', 'stopped');
    expect(statusOf(pilot, 'i1')).toBe('skipped');
    expect(pilot.state.lane).toEqual(['i2']);
  });

  test('pause and resume of one idea; the run goes on; a resume of one that is not paused is refused', () => {
    const pilot = pilotOf(ideas(3), { slots: 2 });
    decided(pilot);
    expect(refusal(pilot, { verb: 'resume', idea: 'i1' })).toBe('i1 is not paused');
    done(pilot, { verb: 'pause', idea: 'i1' });
    done(pilot, { verb: 'pause', idea: 'i3' });
    expect(decided(pilot)).toEqual(['pause i1']);
    say(pilot, 'i1', 'paused');
    closed(pilot, 'i2', 'failed');
    expect(decided(pilot)).toEqual([]);
    done(pilot, { verb: 'resume', idea: 'i1' });
    done(pilot, { verb: 'resume', idea: 'i3' });
    expect(decided(pilot)).toEqual(['resume i1', `start i3 @${slotOf(pilot, 'i3')}`]);
  });

  test('C5: hints wait for the first prompt, in order, and are handed out once', () => {
    const pilot = pilotOf(ideas(1));
    done(pilot, { verb: 'hint', idea: 'i1', text: 'one' });
    done(pilot, { verb: 'hint', idea: 'i1', text: 'two' });
    decided(pilot);
    expect(takeStartState(pilot, entry(pilot, 'i1'))).toEqual({ notes: ['one', 'two'] });
    expect(takeStartState(pilot, entry(pilot, 'i1'))).toBeUndefined();
    done(pilot, { verb: 'hint', idea: 'i1', text: 'three' });
    expect(pilot.decide(false)).toEqual([{ do: 'tell', idea: 'i1', signal: 'hint', args: ['three'] }]);
    const seen = { phase: 'agent', iteration: 1, maxIterations: 1 } as const;
    pilot.takeTold();
    done(pilot, { verb: 'hint', idea: 'i1', text: 'four', seen });
    expect(pilot.takeTold().map((told) => told.done)).toEqual([expect.stringContaining('this is its only iteration')]);
  });

  test('C5: hints that wait for an idea that has not started are bounded, in number and in size', () => {
    const pilot = pilotOf(ideas(1));
    const hint = (text: string) => refusal(pilot, { verb: 'hint', idea: 'i1', text });
    done(pilot, { verb: 'hint', idea: 'i1', text: 'x'.repeat(7990) });
    expect(hint('x'.repeat(11))).toMatch(/exceed 8000 characters together: send more after its next prompt/);
    for (let n = 1; n < 10; n++) done(pilot, { verb: 'hint', idea: 'i1', text: 'y' });
    const many = pilotOf(ideas(1));
    for (let n = 0; n < 20; n++) done(many, { verb: 'hint', idea: 'i1', text: 'y' });
    expect(refusal(many, { verb: 'hint', idea: 'i1', text: 'y' })).toMatch(/^20 hints already wait for i1/);
  });

  test('A2: bump puts an idea before all that are ready, score sets its points', () => {
    const pilot = pilotOf([card('a', { tags: ['critical'] }), card('b'), card('c')], { slots: 1 });
    done(pilot, { verb: 'bump', idea: 'c' });
    done(pilot, { verb: 'score', idea: 'b', n: 20 });
    expect(decided(pilot)).toEqual(['start c @1']);
    closed(pilot, 'c', 'blocked');
    expect(decided(pilot)).toEqual(['start a @1']);
    done(pilot, { verb: 'score', idea: 'b', n: -3 });
    expect(entry(pilot, 'b').boost).toBe(-3);
  });
});

describe('A2: bump and score mean the same in a run and between runs', () => {
  const both = (order: readonly Intervention[], adds = true) => {
    const pilot = pilotOf([card('a', { tags: ['critical'] }), card('b'), card('c')], {
      ...{ slots: 1 },
      ...(adds ? { pointsAddUp: true as const } : {}),
    });
    for (const command of order) done(pilot, command);
    return { boost: entry(pilot, 'c').boost ?? 0, first: decided(pilot) };
  };
  const bump = { verb: 'bump', idea: 'c' } as const;
  const score = (n: number) => ({ verb: 'score', idea: 'c', n }) as const;

  test.each([-50, 0, 7])('the first place stays, with %i points on top, in either order', (n) => {
    const alone = both([bump]).boost;
    expect(both([bump, score(n)]).boost).toBe(alone + n);
    expect(both([bump, score(3), score(n)]).boost).toBe(alone + n);
    expect(both([score(n), bump]).first).toEqual(['start c @1']);
    expect(both([bump, score(n)]).first).toEqual(['start c @1']);
    // Lower points after a bump that found it first already.
    expect(both([score(1000), bump, score(Math.max(n, 0))]).first).toEqual(['start c @1']);
  });

  test('the last points count', () => {
    expect(both([score(20), score(5)]).boost).toBe(5);
  });

  test('a run of an older version goes on as it began', () => {
    expect(both([bump, score(7)], false).boost).toBe(7);
  });
});

describe('C1 a question of the gate', () => {
  test('approve lands it; a question that needs words is refused by name, and another question needs its own yes', () => {
    const pilot = pilotOf(ideas(2), { slots: 2 });
    decided(pilot);
    say(pilot, 'i1', 'needs-human', { reason: 'look', approvable: true });
    say(pilot, 'i2', 'needs-human', { reason: 'which port?' });
    expect(refusal(pilot, { verb: 'approve', idea: 'i2' })).toMatch(/^i2 waits for an answer\. Possible now: .*answer/);
    say(pilot, 'i1', 'spent');
    expect(done(pilot, { verb: 'approve', idea: 'i1' })).toBe('approved: i1 lands as it is');
    expect(decided(pilot)).toContain('approve i1');
    say(pilot, 'i1', 'ready');
    decided(pilot);
    expect(entry(pilot, 'i1').approvable).toBeUndefined();
    say(pilot, 'i2', 'wants-slot');
    say(pilot, 'i2', 'needs-human', { reason: 'look', approvable: true });
    closed(pilot, 'i2', 'blocked');
    expect(entry(pilot, 'i2').approvable).toBeUndefined();
  });
});

describe('C1 pause --now of one idea', () => {
  test('interrupts that idea alone; one that has not started is held back', () => {
    const pilot = pilotOf(ideas(3), { slots: 2 });
    decided(pilot);
    expect(done(pilot, { verb: 'pause-now', idea: 'i1' })).toMatch(/its iteration is not charged.*ralphctl resume i1/);
    expect(decided(pilot)).toEqual(['pauseNow i1']);
    expect(pilot.state.run).toBe('running');
    say(pilot, 'i1', 'paused');
    done(pilot, { verb: 'resume', idea: 'i1' });
    expect(decided(pilot)).toEqual(['resume i1']);
    done(pilot, { verb: 'pause-now', idea: 'i3' });
    expect(entry(pilot, 'i3').hold).toBe(true);
    closed(pilot, 'i2', 'blocked');
    expect(decided(pilot)).toEqual([]);
    expect(refusal(pilot, { verb: 'pause-now', idea: 'i2' })).toMatch(/^i2 is blocked/);
  });
});

describe('B9 C3 skip --step', () => {
  test('is passed on to an idea at work, kept once for the next start, and dropped by a fresh start', () => {
    const pilot = pilotOf(ideas(2), { slots: 1 });
    decided(pilot);
    expect(done(pilot, { verb: 'skip-step', idea: 'i1', reason: 'no key' })).toMatch(/continues with the next one/);
    expect(pilot.decide(false)).toEqual([{ do: 'tell', idea: 'i1', signal: 'skipStep', args: ['no key'] }]);
    expect(done(pilot, { verb: 'skip-step', idea: 'i2', reason: 'later' })).toBe(
      'i2 skips its current step when it starts',
    );
    closed(pilot, 'i1', 'blocked');
    decided(pilot);
    expect(takeStartState(pilot, entry(pilot, 'i2'))).toEqual({ skipStep: { why: 'later' } });
    expect(takeStartState(pilot, entry(pilot, 'i2'))).toBeUndefined();
    expect(done(pilot, { verb: 'skip-step', idea: 'i1' })).toMatch(/: ralphctl unblock i1$/);
    expect(entry(pilot, 'i1').skipStep).toEqual({});
    done(pilot, { verb: 'retry', idea: 'i1', fresh: true });
    expect(entry(pilot, 'i1').skipStep).toBeUndefined();
    say(pilot, 'i2', 'needs-human', { reason: 'look', approvable: true });
    expect(refusal(pilot, { verb: 'skip-step', idea: 'i2' })).toMatch(/^i2 waits for your approval/);
  });

  test('is offered only to an idea with a plan', () => {
    const pilot = pilotOf([card('i1'), card('i2', { plan: true })], { slots: 1 });
    expect(refusal(pilot, { verb: 'answer', idea: 'i1', text: 'x' })).not.toContain('skip --step');
    expect(refusal(pilot, { verb: 'answer', idea: 'i2', text: 'x' })).toContain('skip --step');
    const offered = (id: string) => why(id, settings(), pilot.graph, pilot.state)?.possible;
    expect(offered('i1')).not.toContain('skip --step');
    expect(offered('i2')).toContain('skip --step');
  });
});

test('C5: an idea that was answered waits for a slot, and not with its question as the reason', () => {
  const pilot = pilotOf(ideas(2), { slots: 1 });
  decided(pilot);
  say(pilot, 'i1', 'needs-human', { reason: 'Which colour?' });
  decided(pilot);
  expect(entry(pilot, 'i1').reason).toBe('Which colour?');
  say(pilot, 'i1', 'wants-slot');
  expect(entry(pilot, 'i1')).toMatchObject({ status: 'wants-slot' });
  expect(entry(pilot, 'i1').reason).toBeUndefined();
});

describe('C1 B4 abort', () => {
  test('all that is open is ended at once, the landing too; changes are stashed, ideas pending', () => {
    const pilot = pilotOf(ideas(3), { slots: 3 });
    decided(pilot);
    say(pilot, 'i1', 'ready');
    decided(pilot);
    done(pilot, { verb: 'abort', reason: 'no' });
    expect(decided(pilot).sort()).toEqual(['abort i1', 'abort i2', 'abort i3', 'cancel-landing i1']);
    closed(pilot, 'i2', 'stopped');
    closed(pilot, 'i3', 'stopped');
    expect(decided(pilot)).toEqual(['stash i2', 'stash i3']);
    closed(pilot, 'i1', 'stopped');
    pilot.landingFailed('i1', 'it was aborted by a person');
    expect(decided(pilot)).toContain('stash i1');
    for (const id of ['i1', 'i2', 'i3']) pilot.gitTaskDone(id, { task: 'stash', result: { saved: `refs/${id}` } });
    expect(pilot.state.entries.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending']);
    expect(pilot.isOver()).toBe(true);
    expect(refusal(pilot, { verb: 'retry', idea: 'i1' })).toMatch(/^the run is stopping/);
  });
});

describe('C1 C2 what is landed and about to be taken off the target', () => {
  /** i1 has landed, i2 is landing, the undo of i1 waits behind it. */
  function undoWaits(): Autopilot {
    const pilot = pilotOf(ideas(2), { slots: 2 });
    decided(pilot);
    say(pilot, 'i1', 'ready');
    decided(pilot);
    pilot.landed('i1', landedResult());
    say(pilot, 'i2', 'ready');
    expect(decided(pilot)).toContain('land i2');
    done(pilot, { verb: 'rollback', idea: 'i1' });
    return pilot;
  }

  test('has no workflow that could be told a new mode, or be found to be gone', () => {
    const pilot = undoWaits();
    done(pilot, { verb: 'mode', mode: 'step' });
    expect(decided(pilot)).toEqual(['setStep i2']);
    pilot.childGone('i1', entry(pilot, 'i1').life);
    pilot.childEnded('i1', 'landed', undefined, entry(pilot, 'i1').life);
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'landing', busy: 'undo' });
    pilot.landed('i2', landedResult());
    expect(decided(pilot)).toContain('undo i1');
    pilot.childGone('i1', entry(pilot, 'i1').life);
    pilot.undone('i1', { kind: 'nothing' });
    expect(statusOf(pilot, 'i1')).toBe('landed');
  });

  test('stays landed when the run is aborted before its turn', () => {
    const pilot = undoWaits();
    done(pilot, { verb: 'abort' });
    expect(decided(pilot).sort()).toEqual(['abort i2', 'cancel-landing i2']);
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'landed', reason: expect.stringContaining('aborted') });
    expect(entry(pilot, 'i1').busy).toBeUndefined();
    closed(pilot, 'i2', 'stopped');
    pilot.landingFailed('i2', 'it was aborted by a person');
    expect(decided(pilot)).toEqual(['stash i2']);
    const { reason } = entry(pilot, 'i2');
    pilot.gitTaskDone('i2', { task: 'stash', result: {} });
    expect(pilot.isOver()).toBe(true);
    // That there was nothing to save is no reason for its state.
    expect(entry(pilot, 'i2').reason).toBe(reason);
  });

  test('abort of a paused run lands nothing of what waits in the lane', () => {
    const pilot = pilotOf(ideas(2), { slots: 2 });
    decided(pilot);
    done(pilot, { verb: 'pause' });
    decided(pilot);
    for (const id of ['i1', 'i2']) say(pilot, id, 'ready');
    decided(pilot);
    expect(pilot.state.run).toBe('paused');
    done(pilot, { verb: 'abort' });
    expect(decided(pilot).sort()).toEqual(['abort i1', 'abort i2']);
    closed(pilot, 'i1', 'stopped');
    expect(decided(pilot)).toEqual(['stash i1']);
    closed(pilot, 'i2', 'stopped');
    decided(pilot);
    expect(pilot.state.lane).toEqual([]);
  });
});

describe('C3 split of a running idea', () => {
  test('is given up when another one has taken the ids meanwhile', () => {
    const pilot = pilotOf(ideas(2), { slots: 2 });
    decided(pilot);
    done(pilot, { verb: 'split', idea: 'i1', cards: [card('part', { parent: 'i1' })] });
    done(pilot, { verb: 'split', idea: 'i2', cards: [card('part', { parent: 'i2' })] });
    closed(pilot, 'i1', 'stopped');
    closed(pilot, 'i2', 'stopped');
    expect(pilot.state.entries.filter((one) => one.card.id === 'part')).toHaveLength(1);
    expect(entry(pilot, 'i2')).toMatchObject({
      status: 'pending',
      hold: true,
      reason: expect.stringMatching(/already an idea part/),
    });
    expect(decided(pilot)).toEqual(['start part @1']);
  });
});

describe('A6 modes', () => {
  test('semi-auto starts what is assigned, in that order, and waits for the user even when nothing runs', () => {
    const pilot = pilotOf(ideas(3), { slots: 1, mode: 'semi-auto' });
    expect(pilot.state.run).toBe('waiting_user');
    expect(decided(pilot)).toEqual([]);
    done(pilot, { verb: 'assign', idea: 'i3' });
    done(pilot, { verb: 'assign', idea: 'i1' });
    expect(refusal(pilot, { verb: 'assign', idea: 'i1' })).toMatch(/already assigned/);
    expect(decided(pilot)).toEqual(['start i3 @1']);
    closed(pilot, 'i3', 'blocked');
    expect(decided(pilot)).toEqual(['start i1 @1']);
    closed(pilot, 'i1', 'timeout');
    expect(decided(pilot)).toEqual([]);
    expect(pilot.isOver()).toBe(false);
    for (const id of ['i1', 'i2', 'i3']) done(pilot, { verb: 'skip', idea: id });
    expect(pilot.isOver()).toBe(true);
  });

  test('step tells what is open, and what starts later', () => {
    const pilot = pilotOf(ideas(2), { slots: 1 });
    decided(pilot);
    done(pilot, { verb: 'mode', mode: 'step' });
    expect(pilot.decide(false)).toEqual([{ do: 'tell', idea: 'i1', signal: 'setStep', args: [true] }]);
    say(pilot, 'i1', 'approval');
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'paused', approval: true });
    expect(done(pilot, { verb: 'approve' })).toContain('1 idea');
    expect(decided(pilot)).toEqual(['approve i1']);
    say(pilot, 'i1', 'resumed');
    expect(entry(pilot, 'i1').approval).toBeUndefined();
    closed(pilot, 'i1', 'blocked');
    decided(pilot);
    expect(takeStartState(pilot, entry(pilot, 'i2'))).toEqual({ step: true });
    done(pilot, { verb: 'mode', mode: 'autopilot' });
    expect(pilot.decide(false)).toEqual([{ do: 'tell', idea: 'i2', signal: 'setStep', args: [false] }]);
  });
});

describe('A6 in mode step landings wait for a yes', () => {
  const ready = (over: object = {}): Autopilot => {
    const pilot = pilotOf(ideas(2), { slots: 1, mode: 'step', stepLanding: true, ...over });
    decided(pilot);
    say(pilot, 'i1', 'ready');
    return pilot;
  };

  test('the lane holds it, the slot is free, and a yes lets it go', () => {
    const pilot = ready();
    expect(decided(pilot)).toEqual(['start i2 @1']);
    expect(entry(pilot, 'i1')).toMatchObject({ status: 'landing', approval: true });
    expect(refusal(pilot, { verb: 'retry', idea: 'i1' })).toMatch(/waits for your approval to land.*approve/);
    expect(done(pilot, { verb: 'approve', idea: 'i1' })).toContain('lands next');
    expect(decided(pilot)).toEqual(['land i1']);
  });

  test('one yes to all means landings and iterations', () => {
    const pilot = ready();
    decided(pilot);
    say(pilot, 'i2', 'approval');
    expect(done(pilot, { verb: 'approve' })).toContain('2 ideas');
    expect(decided(pilot)).toEqual(['approve i2', 'land i1']);
  });

  test('what comes back from landing asks again; what was approved at its gate does not', () => {
    const pilot = ready();
    done(pilot, { verb: 'approve', idea: 'i1' });
    decided(pilot);
    pilot.landed('i1', conflictResult());
    decided(pilot);
    closed(pilot, 'i2', 'blocked');
    decided(pilot);
    say(pilot, 'i1', 'ready');
    expect(decided(pilot)).toEqual([]);
    done(pilot, { verb: 'approve', idea: 'i1' });
    decided(pilot);
    pilot.landed('i1', conflictResult());
    decided(pilot);
    say(pilot, 'i1', 'needs-human', { reason: 'look', approvable: true });
    done(pilot, { verb: 'approve', idea: 'i1' });
    expect(decided(pilot)).toEqual(['approve i1']);
    say(pilot, 'i1', 'ready');
    expect(decided(pilot)).toEqual(['land i1']);
  });

  test.each([
    ['another mode lets it go', { verb: 'mode', mode: 'autopilot' }, ['setStep i1', 'land i1']],
    ['a stop ends it', { verb: 'stop' }, ['stop i1']],
    ['an abort ends it', { verb: 'abort' }, ['abort i1']],
  ] as const)('%s', (_, command, expected) => {
    const pilot = ready({ slots: 1 });
    done(pilot, command);
    expect(decided(pilot).filter((one) => one.endsWith(' i1'))).toEqual(expected);
  });

  test('what becomes ready in a run that stops is not asked for', () => {
    const pilot = pilotOf(ideas(1), { slots: 1, mode: 'step', stepLanding: true });
    decided(pilot);
    done(pilot, { verb: 'stop' });
    decided(pilot);
    say(pilot, 'i1', 'ready');
    expect(decided(pilot)).toEqual(['stop i1']);
    closed(pilot, 'i1', 'stopped');
    expect([statusOf(pilot, 'i1'), pilot.isOver()]).toEqual(['pending', true]);
  });

  test('not in a run of 0.1, nor in another mode', () => {
    for (const over of [{ stepLanding: undefined }, { mode: 'autopilot' as const }]) {
      expect(decided(ready(over))).toContain('land i1');
    }
  });
});

describe('limits and budgets are told like everything else', () => {
  const limited = (): Autopilot => {
    const all = { slots: 1, budget: { run: { dollars: 1, tokens: 5 }, warnAt: 0.8 } };
    const agents = { default: 'first', fallback: [], accounts: { first: 'first:key' } };
    const pilot = pilotOf(ideas(1), all, [], { agents });
    decided(pilot);
    const trouble = { kind: 'auth', agent: 'first', account: 'first:key', message: 'log in' } as const;
    say(pilot, 'i1', 'parked', { trouble });
    decided(pilot);
    return pilot;
  };

  test('B8: an account is tried by its name or its agent; what does not wait is refused by name', () => {
    const pilot = limited();
    expect(refusal(pilot, { verb: 'retry-limit', text: 'second' })).toMatch(/"second" is waiting. Waiting: first/);
    expect(done(pilot, { verb: 'retry-limit', text: 'first' })).toContain('first is retried now');
    expect(decided(pilot)).toEqual(['grant i1 @1 first?']);
    expect(refusal(pilotOf(ideas(1)), { verb: 'retry-limit' })).toMatch(/^every account is open/);
  });

  test.each<[object, RegExp]>([
    [{}, /more than one budget matches; add --scope/],
    [{ scope: 'day' }, /no such budget/],
    [{ scope: 'week' }, /the scope must be run or day/],
    [{ dimension: 'kisses' }, /the kind of a budget must be one of iterations, minutes, tokens, dollars/],
    [{ dimension: 'dollars', n: -1 }, /must be a number above 0/],
    [{ dimension: 'dollars', n: 'x' }, /must be a number above 0/],
    [{ dimension: 'dollars', n: 5 }, /^legal$/],
  ])('a raise of %j', (more, words) => {
    expect(refusal(limited(), { verb: 'raise-budget', ...more })).toMatch(words);
  });

  test('a raise counts once under its id, and not in a run without a budget', () => {
    const pilot = limited();
    const raise = { verb: 'raise-budget', dimension: 'dollars', n: 5, id: 'x' } as const;
    expect(done(pilot, raise)).toBe('raised by 5');
    pilot.command(raise);
    expect(pilot.state.budget?.raised).toEqual({ run: { dollars: 5 } });
    expect(refusal(pilotOf(ideas(1)), { verb: 'raise-budget', n: 5 })).toMatch(/^neither the run nor the day/);
  });
});

describe('C3 edited limits', () => {
  test('extra iterations add up; a new limit starts over', () => {
    const once = addPatch(undefined, { extra: 5 });
    const twice = addPatch(once, { extra: 3 });
    expect(patchedLimits(LIMITS, twice).maxIterations).toBe(LIMITS.maxIterations + 8);
    expect(patchedLimits(LIMITS, addPatch(twice, { maxIterations: 7 })).maxIterations).toBe(7);
    expect(patchedLimits(LIMITS, { timeoutMs: 1, iterationTimeoutMs: 2 })).toMatchObject({
      timeoutMs: 1,
      iterationTimeoutMs: 2,
    });
    expect(patchedLimits(LIMITS, undefined)).toBe(LIMITS);
  });
});

test('C4: every view learns a new title at once, of an idea that works and of one that waits', () => {
  const pilot = pilotOf(ideas(2), { slots: 1 });
  decided(pilot);
  pilot.takeChanges(1);
  done(pilot, { verb: 'edit', idea: 'i1', title: 'Works' });
  done(pilot, { verb: 'edit', idea: 'i2', title: 'Waits' });
  expect(pilot.takeChanges(2).map(({ card: { id, title }, status }) => [id, title, status])).toEqual([
    ['i1', 'Works', 'running'],
    ['i2', 'Waits', 'pending'],
  ]);
});
