/** Builders for the completion and exit tables: runs, gates, limits, and what an iteration comes to. */
import { afterGate, afterRun, type NextStep, type RunContext } from '../../../src/decide/idea/completion.js';
import type { IdeaLimits } from '../../../src/protocol/activities.js';
import type { AgentSignal, RunAgentResult } from '../../../src/protocol/agent-run.js';
import type { GateResult } from '../../../src/protocol/gate.js';
import { settings } from './support.js';

export const LIMITS: IdeaLimits = {
  maxIterations: 50,
  timeoutMs: 30 * 60_000,
  iterationTimeoutMs: 10 * 60_000,
  loop: true,
  allowEmpty: false,
};
export const limitsOf = (over: Partial<IdeaLimits> = {}): IdeaLimits => ({ ...LIMITS, ...over });

export const runOf = (signal: AgentSignal, over: Partial<RunAgentResult> = {}): RunAgentResult => ({
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

export const context = (over: Partial<RunContext> = {}): RunContext => ({
  limits: LIMITS,
  settings: settings(),
  failures: 0,
  limited: 0,
  now: 1_000_000,
  ...over,
});

export const GREEN: GateResult = { pass: true, commands: [], durationMs: 5 };
export const RED: GateResult = {
  pass: false,
  commands: [],
  failure: { command: 'npm test', exitCode: 1, timedOut: false, tail: '2 failed', log: '/log' },
  durationMs: 5,
};
export const RED_FEEDBACK = {
  kind: 'gate-failed',
  command: 'npm test',
  exitCode: 1,
  tail: '2 failed',
  log: '/log',
} as const;

export const COMPLETE: AgentSignal = { kind: 'complete' };
export const BLOCKED: AgentSignal = { kind: 'blocked', reason: 'no key' };
export const NEEDS: AgentSignal = { kind: 'needs-human', question: 'which port?' };
export const PROGRESS: AgentSignal = { kind: 'progress', percent: 40 };
export const NONE: AgentSignal = { kind: 'none' };

/** What an iteration comes to, gate included when the table asks for it. */
export function iteration(
  run: RunAgentResult,
  gate: GateResult,
  over: Partial<RunContext> = {},
): { gated: boolean; next: NextStep } {
  const next = afterRun(run, context(over));
  if (next.do !== 'gate') return { gated: false, next };
  return { gated: true, next: afterGate(run, gate, over.limits ?? LIMITS, { idea: 'i-1' }) };
}

export const iterate = (feedback?: unknown) => ({ do: 'iterate', ...(feedback ? { feedback } : {}) });
export const NO_SIGNAL = { kind: 'no-signal' } as const;
export const CLOSE_BLOCKED = { do: 'close', outcome: 'blocked', reason: 'no key' } as const;
