import { describe, expect, test } from 'vitest';
import { afterRun, costsIteration, type NextStep, type RunContext } from '../../../../src/decide/idea/completion.js';
import type { AgentOutcome } from '../../../../src/protocol/agent-run.js';
import type { FailureKind } from '../../../../src/protocol/failures.js';
import {
  BLOCKED,
  CLOSE_BLOCKED,
  COMPLETE,
  context,
  iterate,
  iteration,
  limitsOf,
  NO_SIGNAL,
  NONE,
  RED,
  runOf,
} from '../iteration.js';
import { settings } from '../support.js';

describe('B4 exit table', () => {
  const failed = (failure: FailureKind, resetAt?: number): AgentOutcome => ({
    kind: 'failed',
    failure,
    message: `${failure} happened`,
    ...(resetAt === undefined ? {} : { resetAt }),
  });
  const exitOf = (outcome: AgentOutcome, over: Partial<RunContext> = {}): NextStep =>
    afterRun(runOf(COMPLETE, { outcome, exitCode: 1 }), context(over));
  const again = (kind: FailureKind, waitMs: number) => ({
    do: 'rerun',
    waitMs,
    why: `${kind} happened`,
    counts: 'failure',
  });

  test('B4 row 1: exit 0 and COMPLETE is gated', () => {
    expect(afterRun(runOf(COMPLETE), context())).toEqual({ do: 'gate' });
  });
  test('B4 row 2: exit 0 and COMPLETE with a failing gate goes on', () => {
    expect(iteration(runOf(COMPLETE), RED).next.do).toBe('iterate');
  });
  test('B4 row 3: exit 0 without a signal counts one iteration', () => {
    expect(afterRun(runOf(NONE), context())).toEqual(iterate(NO_SIGNAL));
    expect(costsIteration({ kind: 'ok' })).toBe(true);
  });
  test('B4 row 4: exit 0 and BLOCKED blocks the idea with its reason', () => {
    expect(afterRun(runOf(BLOCKED), context())).toEqual(CLOSE_BLOCKED);
  });

  const kinds: FailureKind[] = [
    'transient',
    'limited',
    'auth',
    'config',
    'context',
    'budget',
    'killed',
    'launch',
    'agent',
  ];
  const charged: FailureKind[] = ['agent', 'context', 'budget'];
  const strategies = ['retry', 'skip', 'abort'] as const;
  const table = kinds
    .filter((kind) => kind !== 'limited' && kind !== 'budget')
    .flatMap((kind) =>
      strategies.flatMap((errorStrategy) =>
        [true, false].flatMap((loop) => [0, 1, 2, 3].map((failures) => ({ kind, errorStrategy, loop, failures }))),
      ),
    );

  test.each(table)('B4 row 5 B7: $kind after $failures, strategy $errorStrategy, loop $loop', (row) => {
    const { kind, errorStrategy, loop, failures } = row;
    const next = exitOf(failed(kind), {
      failures,
      limits: limitsOf({ loop }),
      settings: settings({ errorStrategy, maxRetries: 2, retryBaseMs: 2000 }),
    });
    const ended = {
      do: 'close',
      outcome: errorStrategy === 'skip' ? 'skipped' : 'failed',
      reason: `${kind}: ${kind} happened`,
    };
    if (kind === 'killed') {
      expect(next).toEqual(errorStrategy === 'retry' ? { ...again(kind, 2000), counts: 'cut-off' } : ended);
      return;
    }
    const hopeless = kind === 'auth' || kind === 'config';
    const byStrategy = kind === 'launch' ? errorStrategy === 'retry' : errorStrategy === 'retry' && loop;
    const retried = kind === 'context' ? loop : kind === 'transient' || byStrategy;
    const goesOn = !hopeless && retried && failures < 2;
    const waitMs = kind === 'context' ? 0 : ([2000, 4000][failures] ?? Number.NaN);
    expect(next).toEqual(goesOn ? again(kind, waitMs) : ended);
  });

  test('B4 row 7: an agent that is killed from outside is tried again, later each time; the fifth time a person is asked', () => {
    const steps = [0, 1, 2, 3, 4].map((cutOff) => exitOf(failed('killed'), { cutOff, failures: 9 }));
    const waits = steps.slice(0, 4).map((step) => (step.do === 'rerun' ? [step.waitMs, step.counts] : step));
    expect(waits).toEqual([2000, 4000, 8000, 16_000].map((ms) => [ms, 'cut-off']));
    expect(steps[4]).toEqual({
      do: 'ask',
      question: expect.stringMatching(/^5 agent runs in a row.*killed happened/),
      asking: 'trouble',
    });
    const slow = settings({ retryBaseMs: 50_000 });
    expect(exitOf(failed('killed'), { cutOff: 3, settings: slow })).toMatchObject({ waitMs: 60_000 });
  });

  test('B4 B7: a run of 0.1 goes on as it began: killed is retried and fails, and no strategy skips', () => {
    const old = (over: Partial<RunContext>) => ({
      settings: settings({ ownTrouble: undefined, errorStrategy: 'skip' }),
      ...over,
    });
    expect(exitOf(failed('killed'), old({ failures: 1 }))).toEqual(again('killed', 4000));
    expect(exitOf(failed('killed'), old({ failures: 2 }))).toMatchObject({ do: 'close', outcome: 'failed' });
    expect(exitOf(failed('agent'), old({}))).toMatchObject({ do: 'close', outcome: 'failed' });
  });

  test.each(strategies)('B4: a run that used up its money asks a person, strategy %s', (errorStrategy) => {
    for (const failures of [0, 5]) {
      const next = exitOf(failed('budget'), { failures, settings: settings({ errorStrategy }) });
      expect(next).toEqual({ do: 'ask', question: expect.stringContaining('budget happened'), asking: 'trouble' });
    }
  });

  test('B4: what a failed run said does not count, not even COMPLETE', () => {
    for (const kind of kinds) expect(exitOf(failed(kind)).do).not.toBe('gate');
  });

  test.each(kinds)('B4 B8: only the agent itself costs an iteration (%s)', (kind) => {
    expect(costsIteration(failed(kind))).toBe(charged.includes(kind));
  });
  test('B4: an iteration that ran out of time costs one', () => {
    expect(costsIteration({ kind: 'timeout', why: 'idle' })).toBe(true);
  });

  test.each([
    [0, 5000],
    [1, 15_000],
    [2, 45_000],
  ])('B8: after %d limited runs the wait is %d ms', (limited, waitMs) => {
    expect(exitOf(failed('limited'), { limited })).toEqual({
      do: 'rerun',
      waitMs,
      why: 'limited happened',
      counts: 'limit',
    });
  });
  test('B8: after the last retry a person is asked, the idea does not fail', () => {
    const next = exitOf(failed('limited'), { limited: 3 });
    expect(next).toMatchObject({ do: 'ask', question: expect.stringContaining('limited happened') });
  });
  test('B8: a stated reset time is honoured however often it comes', () => {
    const next = exitOf(failed('limited', 1_000_000 + 3_600_000), { limited: 40 });
    expect(next).toMatchObject({ do: 'rerun', waitMs: 3_600_000, counts: 'limit' });
  });
  test('B8: a reset within the next second still waits a second', () => {
    expect(exitOf(failed('limited', 1_000_001))).toMatchObject({ do: 'rerun', waitMs: 1000 });
  });
  test.each([
    ['in the past', 999_999],
    ['now', 1_000_000],
    ['years away', 1_000_000 + 400 * 86_400_000],
    ['not a number', Number.NaN],
  ])('B8: a reset time %s backs off like none, and ends with a question', (_name, resetAt) => {
    expect(exitOf(failed('limited', resetAt), { limited: 1 })).toMatchObject({ do: 'rerun', waitMs: 15_000 });
    expect(exitOf(failed('limited', resetAt), { limited: 3 }).do).toBe('ask');
  });
  test('B8: limits do not use up the retries of failures, nor the other way round', () => {
    expect(exitOf(failed('limited'), { failures: 9 })).toMatchObject({ do: 'rerun', waitMs: 5000 });
    expect(exitOf(failed('transient'), { limited: 9 })).toMatchObject({ do: 'rerun', waitMs: 2000 });
  });
});
