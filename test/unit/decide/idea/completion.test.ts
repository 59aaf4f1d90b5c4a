import { describe, expect, test } from 'vitest';
import {
  afterGate,
  afterRun,
  limitReached,
  runBudgetMs,
  whyTurnedDown,
} from '../../../../src/decide/idea/completion.js';
import type { AgentSignal } from '../../../../src/protocol/agent-run.js';
import type { GateResult } from '../../../../src/protocol/gate.js';
import {
  BLOCKED,
  CLOSE_BLOCKED,
  COMPLETE,
  context,
  GREEN,
  iterate,
  iteration,
  LIMITS,
  limitsOf,
  NEEDS,
  NO_SIGNAL,
  NONE,
  PROGRESS,
  RED,
  RED_FEEDBACK,
  runOf,
} from '../iteration.js';
import { settings } from '../support.js';

const EMPTY = { kind: 'claimed-but-empty' } as const;
const READY = { do: 'ready' } as const;
const ASK = { do: 'ask', question: 'which port?' } as const;
const SINGLE_RED = { do: 'close', outcome: 'failed', reason: 'single attempt, and the gate is red: npm test' } as const;
const SINGLE_UNDONE = {
  do: 'close',
  outcome: 'failed',
  reason: 'single attempt, and the agent says that it is not done',
} as const;
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
    if (signal.kind === 'progress') return { gated: false, next: SINGLE_UNDONE };
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
    expect(afterGate(runOf(COMPLETE), bare, LIMITS, { idea: 'i-1' }).do).toBe('iterate');
    expect(afterGate(runOf(COMPLETE), bare, limitsOf({ loop: false }), { idea: 'i-1' })).toEqual({
      do: 'close',
      outcome: 'failed',
      reason: 'single attempt, and the gate is red',
    });
  });

  test.each(['iteration', 'idle'] as const)('B3: an agent that ran out of time (%s) goes on in a loop', (why) => {
    const run = runOf(COMPLETE, { outcome: { kind: 'timeout', why }, durationMs: 125_000 });
    expect(afterRun(run, context())).toEqual(iterate({ kind: 'iteration-timeout', minutes: 2, ms: 125_000 }));
  });

  test.each([
    ['iteration', 'the agent timed out after 2m05s'],
    ['idle', 'the agent went silent after 2m05s'],
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
    expect(limitReached(spent({ activeMs: LIMITS.timeoutMs }), LIMITS)).toBe('30m of working time used');
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

test('a COMPLETE that does not reach the gate says why, anything else says nothing', () => {
  const { limits } = context();
  const empty = runOf(COMPLETE, { changed: false });
  expect(whyTurnedDown(empty, limits)).toBe('no change');
  expect(whyTurnedDown(empty, { ...limits, allowEmpty: true })).toBeUndefined();
  expect(whyTurnedDown({ ...empty, unfinished: 'conflict markers are left in a.ts' }, limits)).toMatch(/^conflict/);
  expect(whyTurnedDown({ ...empty, changed: true }, limits)).toBeUndefined();
  expect(whyTurnedDown({ ...empty, merged: 'abc' }, limits)).toBeUndefined();
  expect(whyTurnedDown({ ...empty, signal: PROGRESS }, limits)).toBeUndefined();
});
