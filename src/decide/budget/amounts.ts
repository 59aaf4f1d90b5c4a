/**
 * Budgets: what is used, what is left, and the message when nothing is left.
 * Invariant: unknown use never counts as zero. A used-up budget asks a person; it discards no work.
 * May import protocol and decide only.
 */

import type { RunAgentResult } from '../../protocol/agent-run.js';
import {
  type Amounts,
  type BudgetLine,
  type BudgetReached,
  type BudgetScope,
  type Dimension,
  MOST_AMOUNT,
  type Spent,
} from '../../protocol/budget.js';
import type { IdeaInput, IdeaRunState } from '../../protocol/idea-run.js';
import { many } from '../../protocol/many.js';

export const DIMENSIONS: readonly Dimension[] = ['iterations', 'minutes', 'tokens', 'dollars'];

export const nothingSpent = (): Spent => ({
  ...{ iterations: 0, ms: 0, tokens: 0, dollars: 0 },
  ...{ unknownTokens: 0, unknownDollars: 0 },
});

/** What one agent run used. It counts as an iteration only where it cost one (`charged`). */
export function spentBy(
  run: Pick<RunAgentResult, 'durationMs' | 'usage'>,
  charged: boolean,
  /** Whether the run may have used something, reported or not. */
  worked = charged,
): Spent {
  const { inputTokens, outputTokens, costUsd } = run.usage ?? {};
  const tokensKnown = inputTokens !== undefined || outputTokens !== undefined;
  return {
    iterations: charged ? 1 : 0,
    ms: run.durationMs,
    tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
    dollars: costUsd ?? 0,
    // A run without a turn cannot have used anything.
    unknownTokens: worked && !tokensKnown ? 1 : 0,
    unknownDollars: worked && costUsd === undefined ? 1 : 0,
  };
}

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    iterations: a.iterations + b.iterations,
    ms: a.ms + b.ms,
    tokens: a.tokens + b.tokens,
    dollars: a.dollars + b.dollars,
    unknownTokens: a.unknownTokens + b.unknownTokens,
    unknownDollars: a.unknownDollars + b.unknownDollars,
  };
}

export function addAmounts(a: Amounts = {}, b: Amounts = {}): Amounts {
  const sum: Amounts = {};
  for (const dimension of DIMENSIONS) {
    if (a[dimension] === undefined && b[dimension] === undefined) continue;
    sum[dimension] = (a[dimension] ?? 0) + (b[dimension] ?? 0);
  }
  return sum;
}

/** Every limited dimension with the amount used. Raising an unlimited dimension leaves it unlimited. */
export function budgetLines(
  scope: BudgetScope,
  limit: Amounts | undefined,
  raised: Amounts | undefined,
  spent: Spent,
): BudgetLine[] {
  if (!limit) return [];
  return DIMENSIONS.flatMap((dimension) => {
    const most = limit[dimension];
    if (most === undefined) return [];
    return {
      ...{ scope, dimension, used: usedOf(spent, dimension), most: most + (raised?.[dimension] ?? 0) },
      unknown: dimension === 'tokens' ? spent.unknownTokens : dimension === 'dollars' ? spent.unknownDollars : 0,
    };
  });
}

function usedOf(spent: Spent, dimension: Dimension): number {
  return dimension === 'minutes' ? spent.ms / 60_000 : spent[dimension];
}

/** The first budget that is used up. */
export const usedUp = (lines: readonly BudgetLine[]): BudgetLine | undefined =>
  lines.find(({ used, most }) => used >= most);

/** Budgets that need a warning now. */
export const nearlyUsed = (lines: readonly BudgetLine[], warnAt: number): BudgetLine[] =>
  lines.filter(({ used, most }) => used < most && used >= most * warnAt);

/** The most that one run may use: the minimum of its own budget and of the rest of its idea's budget. */
export function runAllowance(
  iteration: Amounts | undefined,
  idea: readonly BudgetLine[],
): { tokens?: number; dollars?: number; minutes?: number } {
  const allowance: { tokens?: number; dollars?: number; minutes?: number } = {};
  for (const dimension of ['tokens', 'dollars', 'minutes'] as const) {
    const left = idea.filter((line) => line.dimension === dimension).map(({ used, most }) => most - used);
    const all = [...left, ...(iteration?.[dimension] === undefined ? [] : [iteration[dimension]])];
    if (all.length > 0) allowance[dimension] = Math.max(0, Math.min(...all));
  }
  return allowance;
}

const UNIT: Readonly<Record<Dimension, string>> = {
  ...{ iterations: 'iterations', minutes: 'minutes of agent time', tokens: 'tokens', dollars: 'dollars' },
};

/** `5.1 of 5 dollars`, and how much of it is unknown. */
export function lineText({ dimension, used, most, unknown }: BudgetLine): string {
  const shown = dimension === 'tokens' || dimension === 'iterations' ? Math.round(used) : Math.round(used * 100) / 100;
  return `${shown} of ${most} ${UNIT[dimension]} used${unknown > 0 ? `, not counting ${many(unknown, 'run')} that did not report it` : ''}`;
}

/** `3 iterations, 12 minutes, 1.2M tokens, $0.40 (1 run did not report it)` */
export function usedText({ iterations, ms, tokens, dollars, unknownTokens, unknownDollars }: Spent): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  const head = `${many(iterations, 'iteration')}, ${many(minutes, 'minute')}`;
  if (tokens === 0 && dollars === 0 && unknownTokens + unknownDollars > 0)
    return `${head}; tokens and cost were not reported`;
  const silent = Math.max(unknownTokens, unknownDollars);
  const parts = [
    ...(tokens > 0 ? [`${tokensText(tokens)} tokens`] : []),
    ...(dollars > 0 ? [`$${dollars.toFixed(2)}`] : []),
  ];
  return `${[head, ...parts].join(', ')}${silent > 0 ? ` (${many(silent, 'run')} did not report it)` : ''}`;
}

function tokensText(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 999_500 ? `${Math.round(tokens / 1000)}k` : `${(tokens / 1e6).toFixed(1)}M`;
}

export function ideaQuestion(line: BudgetLine): string {
  return `The budget of this idea is used up: ${lineText(line)}. Answer "raise" to add the same amount again, "+N" to add N ${UNIT[line.dimension]}, or "stop" to end it and keep its work.`;
}

export function runQuestion(line: BudgetLine): string {
  const what = line.scope === 'day' ? 'budget of the day' : 'budget of the run';
  const wait = line.scope === 'day' ? '; the run resumes by itself tomorrow' : '';
  return `the ${what} is used up: ${lineText(line)}${wait}. Raise it: ralphctl budget raise [+N], or end the run: ralphctl stop`;
}

/** The reason for a pause by a budget. */
export function reachedText(reached: BudgetReached): string {
  const what = reached.scope === 'day' ? 'the budget of the day' : 'the budget of the run';
  return `${what} is used up${reached.shared ? ', with the use of running agents' : ''}: ${lineText(reached)}`;
}

export type BudgetAnswer = { do: 'stop' } | { do: 'raise'; by: Amounts };

/** The meaning of a person's answer to {@link ideaQuestion}; undefined when it is neither. */
export function readAnswer(
  text: string,
  line: Pick<BudgetLine, 'dimension' | 'most' | 'used'>,
): BudgetAnswer | undefined {
  const said = text.trim().toLowerCase();
  if (/^(?:stop|no|end|abandon)\b/.test(said)) return { do: 'stop' };
  const amount = /^(?:raise\s*(?:by)?\s*)?\+?\$?(\d+(?:\.\d+)?)\b/.exec(said)?.[1];
  if (amount !== undefined && Number(amount) > MOST_AMOUNT) return undefined;
  if (amount !== undefined && Number(amount) > 0) return { do: 'raise', by: { [line.dimension]: Number(amount) } };
  if (/^(?:raise|yes|continue|go on|ok)\b/.test(said)) return { do: 'raise', by: { [line.dimension]: line.most } };
  return undefined;
}

export function ideaBudget({ settings }: IdeaInput, state: IdeaRunState): BudgetLine[] {
  return budgetLines('idea', settings.budget?.idea, state.raised, state.spent ?? nothingSpent());
}
