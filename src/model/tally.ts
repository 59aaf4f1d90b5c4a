/** Sums the usage of agents. Invariant: unreported usage counts as unknown, never as 0. Must import types only. */
import type { Usage } from '../protocol/agent-run.js';
import type { Spent } from '../protocol/budget.js';
import type { IdeaModel, Iteration, Tally } from './model.js';

export const emptyTally = (): Tally => ({
  iterations: 0,
  runs: 0,
  ms: 0,
  tokensIn: 0,
  tokensOut: 0,
  dollars: 0,
  unknownTokens: 0,
  unknownDollars: 0,
});

/** How long the iterations took together. */
export const iterationsMs = ({ iterationsMs: known, ms }: Pick<Tally, 'iterationsMs' | 'ms'>): number => known ?? ms;

/** A run turned out to cost no iteration. */
export function uncharge(tally: Tally, durationMs: number): void {
  tally.iterationsMs = iterationsMs(tally) - durationMs;
  tally.iterations -= 1;
}

/** Agent runs that have ended, charged or not. */
export const runsOf = ({ runs, iterations }: Pick<Tally, 'runs' | 'iterations'>): number => runs ?? iterations;

/** Iterations that have ended, and the one that runs now. The one count of all views. */
export function iterationCount({ iterations, spent }: Pick<IdeaModel, 'iterations' | 'spent'>): number {
  const last = iterations.at(-1);
  return spent.iterations + (last !== undefined && last.endedAt === undefined ? 1 : 0);
}

/**
 * The size of the branch of an idea on which a run worked. Its agent runs alone do not tell: one that was killed may have
 * committed, and earlier runs and people commit, too. `onBranch`: what git counts, where it can.
 */
export const branchSize = (
  { commits, runs }: { commits: number; runs: { readonly length: number } },
  onBranch: number | undefined,
): number => (commits > 0 || runs.length > 0 ? (onBranch ?? commits) : 0);

/**
 * The time that counts towards its limit: charged agent runs, the one that runs now, and its own gates. Its waits are
 * nobody's work.
 */
export function workingMs(idea: Pick<IdeaModel, 'iterations' | 'againAt' | 'gateNow'>, now: number): number {
  const { iterations, againAt = 0 } = idea;
  return iterations
    .filter(({ startedAt, uncharged }) => startedAt >= againAt && !uncharged)
    .reduce((sum, run) => sum + agentMs(run, now) + (run.gate?.durationMs ?? 0), gateMs(idea, now));
}

/** How long its own gate has been running. That on the merged tree is the landing's. */
export const gateMs = ({ gateNow }: Pick<IdeaModel, 'gateNow'>, now: number): number =>
  gateNow && !gateNow.merged ? now - gateNow.began : 0;

/** How long its agents have worked, with the one that works now. */
export function agentsMs({ iterations, spent }: Pick<IdeaModel, 'iterations' | 'spent'>, now: number): number {
  const last = iterations.at(-1);
  return spent.ms + (last && last.endedAt === undefined ? agentMs(last, now) : 0);
}

/** How long the agent of this run worked, or works so far. */
export const agentMs = ({ durationMs, startedAt, endedAt }: Iteration, now: number): number =>
  durationMs ?? (endedAt ?? now) - startedAt;

/** Whether any run told its tokens, or its cost. Otherwise the sum is unknown, and not 0. */
export const isReported = (tally: Tally, what: 'Tokens' | 'Dollars'): boolean =>
  tally[`unknown${what}`] < runsOf(tally) - (tally.unused ?? 0);

/** The same numbers as the worker's own record names them: every JSON has those of the events. */
export const spentOf = ({
  iterations,
  ms,
  tokensIn,
  tokensOut,
  dollars,
  unknownTokens,
  unknownDollars,
}: Tally): Spent => ({
  ...{ iterations, ms, tokens: tokensIn + tokensOut, dollars, unknownTokens, unknownDollars },
});

/** Adds one agent run. `unused`: it could use nothing. */
export function addRun(
  tally: Tally,
  durationMs: number,
  usage: Usage | undefined,
  { charged = true, unused = false }: { charged?: boolean; unused?: boolean } = {},
): void {
  if (!charged || tally.iterationsMs !== undefined)
    tally.iterationsMs = iterationsMs(tally) + (charged ? durationMs : 0);
  if (charged) tally.iterations += 1;
  tally.runs = runsOf(tally) + 1;
  tally.ms += durationMs;
  tally.tokensIn += usage?.inputTokens ?? 0;
  tally.tokensOut += usage?.outputTokens ?? 0;
  tally.dollars += usage?.costUsd ?? 0;
  if (unused) {
    if (!usage) tally.unused = (tally.unused ?? 0) + 1;
    return;
  }
  if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) tally.unknownTokens += 1;
  if (usage?.costUsd === undefined) tally.unknownDollars += 1;
}
