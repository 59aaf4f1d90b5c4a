/**
 * Agents that count their own dollars are told what is left, since most say only at their end what they used.
 * Invariant: a run that was ended by what we told it is ended by a budget, not by a failure of the agent.
 */
import { ADAPTER_OPTIONS, type AgentSpec } from '../config/agent-spec.js';
import type { AgentOutcome } from '../protocol/activities.js';
import type { BudgetReached } from '../protocol/budget.js';

/** Least that an agent is told, US dollars: none would be no limit. */
const LEAST = 0.01;

export interface OwnLimit {
  spec: AgentSpec;
  /** What the outcome means: itself, where the limit was not ours. */
  meaning: (outcome: AgentOutcome) => AgentOutcome;
}

/** `dollars` that one run may use; `left` of the budget of run or day, and which one. */
export function withOwnLimit(
  spec: AgentSpec,
  dollars: number | undefined,
  left: { amount: number; of: BudgetReached } | undefined,
): OwnLimit {
  const most = Math.max(LEAST, Math.min(dollars ?? Number.POSITIVE_INFINITY, left?.amount ?? Number.POSITIVE_INFINITY));
  const counts = ADAPTER_OPTIONS[spec.adapter].includes('maxBudgetUsd');
  if (!counts || !Number.isFinite(most) || most >= (spec.maxBudgetUsd ?? Number.POSITIVE_INFINITY)) {
    return { spec, meaning: (outcome) => outcome };
  }
  const of = left && left.amount <= most ? { of: left.of } : {};
  return {
    spec: { ...spec, maxBudgetUsd: Math.round(most * 10_000) / 10_000 },
    meaning: (outcome) => {
      const ended = outcome.kind === 'failed' && outcome.failure === 'budget';
      return ended ? { kind: 'timeout', why: 'budget', ...of } : outcome;
    },
  };
}
