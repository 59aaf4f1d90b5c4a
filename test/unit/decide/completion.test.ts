import { describe, expect, test } from 'vitest';
import {
  afterGate,
  afterRun,
  costsIteration,
  limitReached,
  type NextStep,
  type RunContext,
  runBudgetMs,
} from '../../../src/decide/completion.js';
import type { AgentOutcome, GateResult, IdeaLimits, RunAgentResult } from '../../../src/protocol/activities.js';
import type { FailureKind } from '../../../src/protocol/failures.js';
import type { AgentSignal } from '../../../src/protocol/signal.js';
import { settings } from './support.js';

const LIMITS: IdeaLimits = {
  maxIterations: 50,
  timeoutMs: 30 * 60_000,
  iterationTimeoutMs: 10 * 60_000,
  loop: true,
  allowEmpty: false,
};
const limitsOf = (over: Partial<IdeaLimits> = {}): IdeaLimits => ({ ...LIMITS, ...over });

const runOf = (signal: AgentSignal, over: Partial<RunAgentResult> = {}): RunAgentResult => ({
  outcome: { kind: 'ok' },
  signal,
  durationMs: 90_000,
  exitCode: 0,
  head: 'head',
  commits: 1,
  changed: true,
  tail: '',
  dir: '/runs/1',
  ...over,
});

const context = (over: Partial<RunContext> = {}): RunContext => ({
  limits: LIMITS,
  settings: settings(),
  failures: 0,
  limited: 0,
  now: 1_000_000,
  ...over,
});

const GREEN: GateResult = { pass: true, commands: [], durationMs: 5 };
const RED: GateResult = {
  pass: false,
  commands: [],
  failure: { command: 'npm test', exitCode: 1, timedOut: false, tail: '2 failed', log: '/log' },
  durationMs: 5,
};
const RED_FEEDBACK = { kind: 'gate-failed', command: 'npm test', exitCode: 1, tail: '2 failed', log: '/log' } as const;

const COMPLETE: AgentSignal = { kind: 'complete' };
const BLOCKED: AgentSignal = { kind: 'blocked', reason: 'no key' };
const NEEDS: AgentSignal = { kind: 'needs-human', question: 'which port?' };
const PROGRESS: AgentSignal = { kind: 'progress', percent: 40 };
const NONE: AgentSignal = { kind: 'none' };

/** What an iteration comes to, gate included when the table asks for it. */
function iteration(
  run: RunAgentResult,
  gate: GateResult,
  over: Partial<RunContext> = {},
): { gated: boolean; next: NextStep } {
  const next = afterRun(run, context(over));
  if (next.do !== 'gate') return { gated: false, next };
  return { gated: true, next: afterGate(run, gate, over.limits ?? LIMITS) };
}

const iterate = (feedback?: unknown) => ({ do: 'iterate', ...(feedback ? { feedback } : {}) });
const NO_SIGNAL = { kind: 'no-signal' } as const;
const EMPTY = { kind: 'claimed-but-empty' } as const;
const READY = { do: 'ready' } as const;
const CLOSE_BLOCKED = { do: 'close', outcome: 'blocked', reason: 'no key' } as const;
const ASK = { do: 'ask', question: 'which port?' } as const;
const SINGLE_RED = { do: 'close', outcome: 'failed', reason: 'single attempt, and the gate is red: npm test' } as const;
const SINGLE_EMPTY = { do: 'close', outcome: 'failed', reason: 'the agent ended without changing anything' } as const;

interface Row {
  signal: AgentSignal;
  changed: boolean;
  allowEmpty: boolean;
  loop: boolean;
  gateWhen: 'claim' | 'always';
  gate: GateResult;
}

/** Every combination, the expectation written as the table reads rather than as the code does. */
function expected({ signal, changed, allowEmpty, loop, gateWhen, gate }: Row): { gated: boolean; next: unknown } {
  if (signal.kind === 'blocked') return { gated: false, next: CLOSE_BLOCKED };
  if (signal.kind === 'needs-human') return { gated: false, next: ASK };
  if (!loop) {
    if (!changed && !allowEmpty) return { gated: false, next: SINGLE_EMPTY };
    return { gated: true, next: gate.pass ? READY : SINGLE_RED };
  }
  if (signal.kind === 'complete') {
    if (!changed && !allowEmpty) return { gated: false, next: iterate(EMPTY) };
    return { gated: true, next: gate.pass ? READY : iterate(RED_FEEDBACK) };
  }
  const unsaid = signal.kind === 'none' ? iterate(NO_SIGNAL) : iterate();
  if (gateWhen === 'claim') return { gated: false, next: unsaid };
  return { gated: true, next: gate.pass ? unsaid : iterate(RED_FEEDBACK) };
}

describe('B3 completion table', () => {
  const rows: Row[] = [COMPLETE, BLOCKED, NEEDS, PROGRESS, NONE].flatMap((signal) =>
    [true, false].flatMap((changed) =>
      [true, false].flatMap((allowEmpty) =>
        [true, false].flatMap((loop) =>
          (['claim', 'always'] as const).flatMap((gateWhen) =>
            [GREEN, RED].map((gate) => ({ signal, changed, allowEmpty, loop, gateWhen, gate })),
          ),
        ),
      ),
    ),
  );

  test('B3 B10: the enumeration has every combination', () => {
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(5 * 2 * 2 * 2 * 2 * 2);
  });

  test.each(rows)(
    'B3 B10: $signal.kind, changed $changed, allowEmpty $allowEmpty, loop $loop, gate $gateWhen and $gate.pass',
    (row) => {
      const { signal, changed, allowEmpty, loop, gateWhen, gate } = row;
      const over = { limits: limitsOf({ allowEmpty, loop }), settings: settings({ gateWhen }) };
      expect(iteration(runOf(signal, { changed }), gate, over)).toEqual(expected(row));
    },
  );

  test('B3 rows 1 and 2: COMPLETE is done only when the gate is green, and the failure goes into the next prompt', () => {
    expect(iteration(runOf(COMPLETE), GREEN)).toEqual({ gated: true, next: { do: 'ready' } });
    expect(iteration(runOf(COMPLETE), RED)).toEqual({ gated: true, next: { do: 'iterate', feedback: RED_FEEDBACK } });
  });

  test('B3: a red gate without details never counts as done', () => {
    const bare: GateResult = { pass: false, commands: [], durationMs: 1 };
    expect(afterGate(runOf(COMPLETE), bare, LIMITS).do).toBe('iterate');
    expect(afterGate(runOf(COMPLETE), bare, limitsOf({ loop: false }))).toEqual({
      do: 'close',
      outcome: 'failed',
      reason: 'single attempt, and the gate is red',
    });
  });

  test.each(['iteration', 'idle'] as const)('B3: an agent that ran out of time (%s) goes on in a loop', (why) => {
    const run = runOf(COMPLETE, { outcome: { kind: 'timeout', why }, durationMs: 125_000 });
    expect(afterRun(run, context())).toEqual(iterate({ kind: 'iteration-timeout', minutes: 2 }));
  });

  test.each([
    ['iteration', 'the agent ran out of time after 2 min'],
    ['idle', 'the agent went silent after 2 min'],
  ] as const)('B10: a single attempt that ran out of time (%s) is timeout, not failed', (why, reason) => {
    const run = runOf(NONE, { outcome: { kind: 'timeout', why }, durationMs: 125_000 });
    expect(afterRun(run, context({ limits: limitsOf({ loop: false }) }))).toEqual({
      do: 'close',
      outcome: 'timeout',
      reason,
    });
  });
});

describe('B3 limits', () => {
  const spent = (over: Partial<{ iteration: number; activeMs: number; grace: boolean }> = {}) => ({
    iteration: 0,
    activeMs: 0,
    grace: false,
    ...over,
  });

  test('B3: max iterations end an idea, one less does not', () => {
    expect(limitReached(spent({ iteration: 49 }), LIMITS)).toBeUndefined();
    expect(limitReached(spent({ iteration: 50 }), LIMITS)).toBe('50 of 50 iterations used');
  });

  test('B3: working time ends an idea, one millisecond less does not', () => {
    expect(limitReached(spent({ activeMs: LIMITS.timeoutMs - 1 }), LIMITS)).toBeUndefined();
    expect(limitReached(spent({ activeMs: LIMITS.timeoutMs }), LIMITS)).toBe('30 min of working time used');
  });

  test('B10: a single attempt is one iteration, whatever maxIterations says', () => {
    expect(limitReached(spent({ iteration: 1 }), limitsOf({ loop: false }))).toBe('1 of 1 iterations used');
    expect(limitReached(spent(), limitsOf({ loop: false }))).toBeUndefined();
  });

  test('B3: COMPLETE on the last allowed iteration counts', () => {
    // The limit is asked before an iteration only, so the 50th may run, be gated and land.
    expect(limitReached(spent({ iteration: 49 }), LIMITS)).toBeUndefined();
    expect(iteration(runOf(COMPLETE), GREEN).next).toEqual({ do: 'ready' });
  });

  test('C5 D1: grace allows an iteration past both limits', () => {
    expect(limitReached(spent({ iteration: 99, activeMs: 1e9, grace: true }), LIMITS)).toBeUndefined();
    expect(runBudgetMs({ activeMs: 1e9, grace: true }, LIMITS)).toBe(LIMITS.iterationTimeoutMs);
  });

  test.each([
    [0, LIMITS.iterationTimeoutMs],
    [LIMITS.timeoutMs - 60_000, 60_000],
    [LIMITS.timeoutMs - 1, 1000],
    [LIMITS.timeoutMs + 1, 1000],
  ])('B1: with %d ms used a run may take %d ms', (activeMs, budget) => {
    expect(runBudgetMs({ activeMs, grace: false }, LIMITS)).toBe(budget);
  });
});

describe('B4 exit table', () => {
  const failed = (failure: FailureKind, resetAt?: number): AgentOutcome => ({
    kind: 'failed',
    failure,
    message: `${failure} happened`,
    ...(resetAt === undefined ? {} : { resetAt }),
  });
  const exitOf = (outcome: AgentOutcome, over: Partial<RunContext> = {}): NextStep =>
    afterRun(runOf(COMPLETE, { outcome, exitCode: 1 }), context(over));
  const close = (kind: FailureKind) => ({ do: 'close', outcome: 'failed', reason: `${kind}: ${kind} happened` });
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

  const kinds: FailureKind[] = ['transient', 'limited', 'auth', 'config', 'killed', 'launch', 'agent'];
  const strategies = ['retry', 'skip', 'abort'] as const;
  const table = kinds
    .filter((kind) => kind !== 'limited')
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
    const hopeless = kind === 'auth' || kind === 'config';
    const retried = kind !== 'agent' || (errorStrategy === 'retry' && loop);
    const goesOn = !hopeless && retried && failures < 2;
    expect(next).toEqual(goesOn ? again(kind, [2000, 4000][failures] ?? Number.NaN) : close(kind));
  });

  test('B4: what a failed run said does not count, not even COMPLETE', () => {
    for (const kind of kinds) expect(exitOf(failed(kind)).do).not.toBe('gate');
  });

  test.each(kinds)('B4 B8: only the agent itself costs an iteration (%s)', (kind) => {
    expect(costsIteration(failed(kind))).toBe(kind === 'agent');
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
