/**
 * Compares the current usage of a project's agents with the budgets of run and day. A used-up budget ends every agent
 * under it, and does not only hold the next one back.
 * Invariant: an agent run counts once: by its reports while it runs, and by the ledger afterwards. Usage that an agent
 * does not report while it works counts at its end.
 */

import { ADAPTER_OPTIONS, type AgentSpec } from '../../config/agent-spec.js';
import type { AgentOutcome, Usage } from '../../protocol/agent-run.js';
import type { BudgetReached, Ceilings, Dimension, Spent } from '../../protocol/budget.js';
import { runKey, usedSoFar } from '../../run-files/usage.js';

/** Interval between checks of running agents, milliseconds. */
const TICK_MS = 1000;

export interface Metered {
  root: string;
  project: string;
  run: { id: string; createdAt: Date };
  idea: string;
  serial: number;
  ceilings: Ceilings;
  /** It is no iteration. */
  uncounted?: true;
}

interface Live extends Metered {
  startedAt: number;
  used: () => Usage | undefined;
  end: () => void;
  reached?: BudgetReached;
}

/** An agent run under limits. */
export interface Meter {
  /** Called by `executeAgent`. */
  begin: (used: () => Usage | undefined, end: () => void) => () => void;
  /** Dollars left at its start, with their budget; absent: no limit. */
  dollarsLeft: { amount: number; of: BudgetReached } | undefined;
  /** The budget that ended the run, if any. */
  reached: () => BudgetReached | undefined;
  /** Call after the ledger has recorded the run. */
  close: () => void;
}

const living = new Map<string, { live: Set<Live>; timer: NodeJS.Timeout }>();

/** Admits the run, or returns the budget that forbids it. */
export async function meter(metered: Metered): Promise<Meter | BudgetReached> {
  const live: Live = { ...metered, startedAt: Date.now(), used: () => undefined, end: () => {} };
  const lines = await standing(live);
  const reached = lines.find(isReached);
  if (reached) return reached;
  const close = add(live);
  return {
    begin: (used, end) => {
      Object.assign(live, { used, end });
      // Its usage counts here until the ledger has recorded it.
      return () => Object.assign(live, { end: () => {} });
    },
    dollarsLeft: leastLeft(lines),
    reached: () => live.reached,
    close,
  };
}

const placeOf = ({ root, project }: Metered): string => `${root}\0${project}`;

function add(one: Live): () => void {
  const place = placeOf(one);
  const group = living.get(place) ?? { live: new Set<Live>(), timer: setInterval(() => tick(place), TICK_MS) };
  living.set(place, group);
  group.live.add(one);
  return () => {
    group.live.delete(one);
    if (group.live.size > 0 || living.get(place) !== group) return;
    clearInterval(group.timer);
    living.delete(place);
  };
}

/** Ignores a failed check, because the next one follows in a second. */
function tick(place: string): void {
  for (const one of living.get(place)?.live ?? []) {
    if (one.reached) continue;
    standing(one)
      .then((lines) => {
        // Iterations count at their start, so running ones cannot exceed the limit.
        const reached = lines.find((line) => line.dimension !== 'iterations' && isReached(line));
        if (!reached || one.reached) return;
        one.reached = reached;
        one.end();
      })
      .catch(() => {});
  }
}

const isReached = ({ used, most }: BudgetReached): boolean => used >= most;

function leastLeft(lines: readonly BudgetReached[]): { amount: number; of: BudgetReached } | undefined {
  const left = lines.flatMap((of) => (of.dimension === 'dollars' ? [{ amount: of.most - of.used, of }] : []));
  return left.sort((a, b) => a.amount - b.amount)[0];
}

const DIMENSIONS: readonly Dimension[] = ['iterations', 'minutes', 'tokens', 'dollars'];

/** The state of every budget over this run; the day's budgets come first. */
async function standing(asked: Live): Promise<BudgetReached[]> {
  const { root, project, run, ceilings } = asked;
  // Before reading the ledger: a run that ends meanwhile is missing from the ledger, and counts here.
  const live = [...(living.get(placeOf(asked))?.live ?? [])].map((one) => ({ ...spending(one), run: one.run.id }));
  const keys = new Set(live.map(({ key }) => key));
  const settled = await usedSoFar(root, project, run, keys);
  return (['day', 'run'] as const).flatMap((scope) => {
    const spending = scope === 'day' ? live : live.filter((one) => one.run === run.id);
    return DIMENSIONS.flatMap((dimension) => {
      const most = ceilings[scope]?.[dimension];
      if (most === undefined) return [];
      const before = amount(settled[scope], dimension);
      const used = spending.reduce((sum, one) => sum + amount(one.spent, dimension), before);
      const unknown = unknownOf(settled[scope], dimension);
      return { scope, dimension, used, most, unknown, shared: before < most ? (true as const) : undefined };
    });
  });
}

function spending({ run, idea, serial, startedAt, used, uncounted }: Live): { key: string; spent: Spent } {
  const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = used() ?? {};
  const spent = {
    ...{
      iterations: uncounted ? 0 : 1,
      ms: Date.now() - startedAt,
      tokens: inputTokens + outputTokens,
      dollars: costUsd,
    },
    ...{ unknownTokens: 0, unknownDollars: 0 },
  };
  return { key: runKey({ run: run.id, idea, serial }), spent };
}

const amount = (spent: Spent, dimension: Dimension): number =>
  dimension === 'minutes' ? spent.ms / 60_000 : spent[dimension];

const unknownOf = (spent: Spent, dimension: Dimension): number =>
  dimension === 'tokens' ? spent.unknownTokens : dimension === 'dollars' ? spent.unknownDollars : 0;

/*
 * Passes the remaining amount to agents that count their own dollars, because most report usage only at the end.
 * Invariant: a run that this limit ended counts as ended by a budget, not as a failure of the agent.
 */

/** The smallest limit for an agent, US dollars: zero would mean no limit. */
const LEAST = 0.01;

export interface OwnLimit {
  spec: AgentSpec;
  /** Returns the outcome, or a budget's end when ralphctl's limit caused it. */
  meaning: (outcome: AgentOutcome) => AgentOutcome;
}

/** `dollars`: the limit for one run. `left`: the rest of the budget of run or day, with that budget. */
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
