/**
 * What follows an agent run and a gate: the completion table (B3), the exit table (B4) and the single attempt (B10), as
 * pure functions.
 * Invariant: an idea is done only by signal, diff and gate together, never by the signal alone. That decision is made
 * here.
 * May import protocol and decide only.
 */

import type { IdeaLimits } from '../../protocol/activities.js';
import type { AgentOutcome, Feedback, RunAgentResult } from '../../protocol/agent-run.js';
import type { BudgetReached } from '../../protocol/budget.js';
import type { Asking } from '../../protocol/events.js';
import type { FailureKind } from '../../protocol/failures.js';
import type { GateResult } from '../../protocol/gate.js';
import type { Trouble, TroubleKind } from '../../protocol/limits.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { IdeaOutcome } from '../../protocol/states.js';
import { isPlausible } from '../accounts/reopening.js';
import { took } from '../duration.js';
import { alreadyRedQuestion, openTripwires, tripwireKey, tripwireQuestion } from './tripwires.js';

export type NextStep =
  | { do: 'gate' }
  /** Queue to land. */
  | { do: 'ready' }
  /** Another iteration, charged. */
  | { do: 'iterate'; feedback?: Feedback }
  /** Another iteration, charged, by another agent if there is one, because this one made no progress. */
  | { do: 'hand-over'; feedback?: Feedback }
  /** The same iteration again, not charged. */
  | { do: 'rerun'; waitMs: number; why: string; counts: 'failure' | 'limit' | 'cut-off' }
  /** `approve`: the findings that an approval accepts. */
  | { do: 'ask'; question: string; approve?: string[]; asking?: Asking }
  /** The agent cannot work for now. The autopilot says when to resume and with which agent. Not charged. */
  | { do: 'park'; trouble: Pick<Trouble, 'kind' | 'message' | 'resetAt'> }
  /** The budget of run or day is used up. The idea resumes once there is more. Not charged. */
  | { do: 'hold'; reached: BudgetReached }
  | { do: 'close'; outcome: IdeaOutcome; reason: string };

export interface RunContext {
  limits: IdeaLimits;
  settings: RunSettings;
  /** Consecutive failed runs before this one, and consecutive limited ones. */
  failures: number;
  limited: number;
  /** Runs in a row before this one that were ended from outside. */
  cutOff?: number;
  /** epoch ms */
  now: number;
  /** Whether the autopilot has account breakers; false in ideas that began under a version without them. */
  gated?: boolean;
}

const CHARGED: readonly FailureKind[] = ['agent', 'context', 'budget'];

/**
 * Whether a run uses up an iteration and working time of the idea. All runs do, except failures that the agent did not
 * cause and runs that a budget of run or day ended.
 */
export function costsIteration(outcome: AgentOutcome): boolean {
  if (outcome.kind === 'timeout') return outcome.of === undefined;
  return outcome.kind !== 'failed' || CHARGED.includes(outcome.failure);
}

const PARKING: Partial<Record<FailureKind, TroubleKind>> = {
  limited: 'limited',
  auth: 'auth',
  launch: 'launch',
  transient: 'provider',
};

/**
 * The run could not work because of its agent's account, provider or program. Nothing is known to be wrong with the
 * idea.
 */
export function troubleOf(
  outcome: AgentOutcome,
  { ownTrouble }: Pick<RunSettings, 'ownTrouble'>,
): TroubleKind | undefined {
  const kind = outcome.kind === 'failed' ? PARKING[outcome.failure] : undefined;
  return kind === 'provider' && !ownTrouble ? undefined : kind;
}

/** Decides after an agent run. */
export function afterRun(run: RunAgentResult, context: RunContext): NextStep {
  if (run.strayed) return { do: 'ask', question: run.strayed.question, asking: 'confinement' };
  const trouble = context.gated && troubleOf(run.outcome, context.settings);
  if (trouble && run.outcome.kind === 'failed') {
    const { message, resetAt } = run.outcome;
    return { do: 'park', trouble: { kind: trouble, message, resetAt } };
  }
  if (run.outcome.kind === 'failed') return afterFailure(run.outcome, context);
  if (run.outcome.kind === 'timeout' && run.outcome.of) return { do: 'hold', reached: run.outcome.of };
  if (run.outcome.kind === 'timeout') return afterTimeout(run.outcome.why, run.durationMs, context.limits);
  const { signal } = run;
  const { loop, allowEmpty } = context.limits;
  if (signal.kind === 'blocked') return { do: 'close', outcome: 'blocked', reason: signal.reason };
  if (signal.kind === 'needs-human') return { do: 'ask', question: signal.question };
  if (!loop && signal.kind === 'progress') {
    return { do: 'close', outcome: 'failed', reason: 'single attempt, and the agent says that it is not done' };
  }
  const claims = signal.kind === 'complete' || !loop;
  if (!claims) {
    if (context.settings.gateWhen === 'always') return { do: 'gate' };
    return signal.kind === 'none' ? { do: 'iterate', feedback: { kind: 'no-signal' } } : { do: 'iterate' };
  }
  if (run.unfinished) {
    if (loop) return { do: 'iterate', feedback: { kind: 'run-failed', message: run.unfinished } };
    return { do: 'close', outcome: 'failed', reason: run.unfinished };
  }
  if (hasWork(run) || allowEmpty) return { do: 'gate' };
  if (loop) return { do: 'iterate', feedback: { kind: 'claimed-but-empty' } };
  return { do: 'close', outcome: 'failed', reason: 'the agent ended without changing anything' };
}

/** On its branch, or on the target already, where a person merged it. */
const hasWork = ({ changed, merged }: RunAgentResult): boolean => changed || merged !== undefined;

/** Why a COMPLETE does not reach the gate; undefined for anything else. */
export function whyTurnedDown(run: RunAgentResult, { allowEmpty }: IdeaLimits): string | undefined {
  if (run.signal.kind !== 'complete' || run.outcome.kind !== 'ok' || run.strayed) return undefined;
  return run.unfinished ?? (hasWork(run) || allowEmpty ? undefined : 'no change');
}

/** In a single attempt, the end of the run counts as a claim. */
export const claimsDone = (run: RunAgentResult, { loop }: IdeaLimits): boolean =>
  run.signal.kind === 'complete' || !loop;

/** Decides after the gate ran on the result of an iteration. */
export function afterGate(
  run: RunAgentResult,
  gate: GateResult,
  limits: IdeaLimits,
  /** `approved`: keys of tripwires that a person has approved. */
  { idea, approved = [] }: { idea: string; approved?: readonly string[] },
): NextStep {
  const claims = claimsDone(run, limits);
  if (claims && gate.pass) {
    const open = openTripwires(gate, approved);
    if (open.length === 0) return { do: 'ready' };
    return {
      do: 'ask',
      question: tripwireQuestion(idea, open, gate),
      approve: open.map(tripwireKey),
      asking: 'tripwire',
    };
  }
  if (claims && gate.failure?.alreadyRed)
    return { do: 'ask', question: alreadyRedQuestion(gate.failure), asking: 'baseline' };
  const feedback = gateFeedback(gate);
  if (!limits.loop) {
    const command = gate.failure ? `: ${gate.failure.command}` : '';
    return { do: 'close', outcome: 'failed', reason: `single attempt, and the gate is red${command}` };
  }
  if (feedback) return { do: 'iterate', feedback };
  return run.signal.kind === 'none' ? { do: 'iterate', feedback: { kind: 'no-signal' } } : { do: 'iterate' };
}

export function gateFeedback(gate: GateResult): Feedback | undefined {
  if (gate.pass || !gate.failure) return undefined;
  const { command, exitCode, tail, log, newTests, knownTests, why } = gate.failure;
  const tests = { newTests, knownTests, ...(why === undefined ? {} : { why }) };
  return { kind: 'gate-failed', command, exitCode, tail, log, ...tests };
}

const TIME_USED = 'of working time used';

/** More iterations do not help an idea with this reason: it needs more time. */
const isOutOfTime = (reason: string | undefined): boolean => reason?.includes(TIME_USED) === true;

/** What an idea that timed out ran out of; `one run`: its only agent run took too long. */
export function ranOutOf(reason = ''): 'iterations' | 'time' | 'one run' {
  if (isOutOfTime(reason)) return 'time';
  return Object.values(TIMED_OUT).some((text) => reason.includes(`${text} after `)) ? 'one run' : 'iterations';
}

const mostIterations = ({ loop, maxIterations, attempts = 1 }: IdeaLimits): number => (loop ? maxIterations : attempts);

/** An answer and a landing that bounced grant an iteration beyond the limit: no view has a fourth of three. */
export const shownLimit = (limits: IdeaLimits, iteration: number): number =>
  Math.max(mostIterations(limits), iteration);

/** The reason an idea may not start another iteration, or undefined when it may. */
export function limitReached(
  spent: { iteration: number; activeMs: number; grace: boolean },
  limits: IdeaLimits,
): string | undefined {
  if (spent.grace) return undefined;
  const most = mostIterations(limits);
  if (spent.iteration >= most) return `${spent.iteration} of ${most} iterations used`;
  if (spent.activeMs >= limits.timeoutMs) return `${took(limits.timeoutMs)} ${TIME_USED}`;
  return undefined;
}

/** How long the next agent run may take, milliseconds. */
export function runBudgetMs(spent: { activeMs: number; grace: boolean }, limits: IdeaLimits): number {
  if (spent.grace) return limits.iterationTimeoutMs;
  return Math.max(1000, Math.min(limits.iterationTimeoutMs, limits.timeoutMs - spent.activeMs));
}

type TimeoutReason = Extract<AgentOutcome, { kind: 'timeout' }>['why'];

/** How ralphctl words the end of an agent run that timed out. */
export const TIMED_OUT: Readonly<Record<TimeoutReason, string>> = {
  idle: 'the agent went silent',
  iteration: 'the agent timed out',
  turns: 'the agent used up its turns',
  budget: 'the agent used up what one run may use',
};

function afterTimeout(why: TimeoutReason, durationMs: number, limits: IdeaLimits): NextStep {
  const spent = Math.max(1, Math.round(durationMs / 60_000));
  if (limits.loop) return { do: 'iterate', feedback: { kind: 'iteration-timeout', minutes: spent, ms: durationMs } };
  return { do: 'close', outcome: 'timeout', reason: `${TIMED_OUT[why]} after ${took(durationMs)}` };
}

function afterFailure(outcome: Extract<AgentOutcome, { kind: 'failed' }>, context: RunContext): NextStep {
  const { settings, failures, limits } = context;
  const { failure, message, resetAt } = outcome;
  const failed = gaveUp(`${failure}: ${message}`, settings);
  const retries = settings.ownTrouble && settings.errorStrategy !== 'retry' ? 0 : settings.maxRetries;
  const again = (why: string) => ({
    do: 'rerun' as const,
    waitMs: settings.retryBaseMs * 2 ** failures,
    why,
    counts: 'failure' as const,
  });
  switch (failure) {
    case 'limited':
      return afterLimit(message, resetAt, context);
    case 'killed':
      if (settings.ownTrouble) return settings.errorStrategy === 'retry' ? afterKill(message, context) : failed;
      return failures < retries ? again(message) : failed;
    case 'transient':
      return failures < settings.maxRetries ? again(message) : failed;
    case 'launch':
      return failures < retries ? again(message) : failed;
    case 'auth':
    case 'config':
      return failed;
    case 'budget':
      return {
        do: 'ask',
        question: `${message}. Reply with anything to let the agent continue in a new run.`,
        asking: 'trouble',
      };
    case 'context':
      // A new session starts with an empty context. Only a prompt that is too long by itself fails again and again.
      return limits.loop && failures < settings.maxRetries ? { ...again(message), waitMs: 0 } : failed;
    case 'agent': {
      if (settings.errorStrategy !== 'retry' || !limits.loop || failures >= settings.maxRetries) return failed;
      return again(message);
    }
  }
}

/** `errors.strategy: skip` leaves out what failed; anything else is a failure. */
function gaveUp(reason: string, { errorStrategy, ownTrouble }: RunSettings): NextStep {
  const skipped = errorStrategy === 'skip' && ownTrouble;
  return { do: 'close', outcome: skipped ? 'skipped' : 'failed', reason };
}

/** Runs in a row that may be ended from outside before a person is asked. */
export const MOST_CUT_OFF = 5;
const LONGEST_CUT_OFF_WAIT_MS = 60_000;

/** Nothing is known to be wrong with the idea, so it never fails. The retries are limited all the same. */
function afterKill(message: string, { settings, cutOff = 0 }: RunContext): NextStep {
  if (cutOff + 1 >= MOST_CUT_OFF) return { do: 'ask', question: cutOffQuestion(message), asking: 'trouble' };
  const waitMs = Math.min(settings.retryBaseMs * 2 ** cutOff, LONGEST_CUT_OFF_WAIT_MS);
  return { do: 'rerun', waitMs, why: message, counts: 'cut-off' };
}

export const cutOffQuestion = (message: string): string =>
  `${MOST_CUT_OFF} agent runs in a row were ended from outside; their work is kept. The last time: ${message} Reply with anything to retry.`;

function afterLimit(message: string, resetAt: number | undefined, context: RunContext): NextStep {
  const { settings, limited, now } = context;
  if (isPlausible(resetAt, now)) {
    return { do: 'rerun', waitMs: Math.max(1000, resetAt - now), why: message, counts: 'limit' };
  }
  if (limited < settings.maxRateLimitRetries) {
    const waitMs = settings.rateLimitBackoffMs * settings.rateLimitFactor ** limited;
    return { do: 'rerun', waitMs, why: message, counts: 'limit' };
  }
  return {
    do: 'ask',
    question: `The agent's account is at a usage limit (${message}). Reply with anything to retry.`,
    asking: 'trouble',
  };
}
