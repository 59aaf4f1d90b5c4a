/**
 * When an agent goes on with a conversation that was cut off, and when it begins a new one.
 * Invariant: a conversation is gone on with only inside one iteration and one step of a plan, by the same agent, after an
 * end that was none of its own; every other run begins afresh.
 */
import type { AgentOutcome, RunAgentResult } from '../protocol/activities.js';

/** The conversation that this run goes on with; undefined: a new one. */
export function sessionToResume(
  previous: Pick<RunAgentResult, 'outcome' | 'session' | 'step'> | undefined,
  now: { iteration: number; agent: string; step?: number | undefined },
): string | undefined {
  const session = previous?.session;
  if (!session || session.iteration !== now.iteration || session.agent !== now.agent) return undefined;
  if (previous.step !== now.step) return undefined;
  const { outcome } = previous;
  const cutOff = outcome.kind === 'failed' && (outcome.failure === 'transient' || outcome.failure === 'killed');
  const byBudget = outcome.kind === 'timeout' && outcome.of !== undefined;
  return cutOff || byBudget ? session.id : undefined;
}

/** A run that was to go on with a conversation failed before its model said a word: most likely there is none any more. */
export function sessionIsGone(outcome: AgentOutcome, turns: number): boolean {
  if (outcome.kind !== 'failed' || turns > 0) return false;
  return outcome.failure === 'launch' || outcome.failure === 'agent' || outcome.failure === 'config';
}
