/**
 * Limits of use, and use.
 * Invariant: use that an agent does not report is unknown and counts as unknown, never as zero. Must not import
 * anything.
 */

/** Limits; an absent one does not apply. */
export interface Amounts {
  iterations?: number;
  /** Of agents' time. */
  minutes?: number;
  /** In and out. */
  tokens?: number;
  /** US dollars, as agents report them. */
  dollars?: number;
}
export type Dimension = keyof Amounts;

/** More than this is not an amount but a mistake. */
export const MOST_AMOUNT = 1e12;

export interface BudgetSettings {
  /** One agent run. */
  iteration?: Amounts;
  idea?: Amounts;
  run?: Amounts;
  /** A calendar day of the worker's host, over all runs of the project. */
  day?: Amounts;
  /** Share of a budget that triggers a warning, 0 to 1. */
  warnAt: number;
  /** Limits of run and day also apply while agents run. Absent in runs of 0.1, which checked only between two runs. */
  during?: true;
}
/** The limits of run and day, with the amounts that a person added. */
export type Ceilings = Pick<BudgetSettings, 'run' | 'day'>;
export type BudgetScope = 'idea' | 'run' | 'day';

export interface Spent {
  iterations: number;
  ms: number;
  tokens: number;
  dollars: number;
  /** Agent runs that did not say how many tokens, or dollars, they used. */
  unknownTokens: number;
  unknownDollars: number;
}

/** The host's records of today; times in epoch ms. */
export interface DayTotal {
  spent: Spent;
  endsAt: number;
}

/** The budgets of a run as its autopilot keeps them. */
export interface BudgetState {
  run: Spent;
  day: Spent;
  dayEndsAt: number;
  /** Added by a person. */
  raised: { run?: Amounts; day?: Amounts };
  /** The scope whose end paused the run. */
  paused?: 'run' | 'day';
  /** Running agents have reserved the rest: nothing more starts before one of them ends. */
  inUse?: true;
}

/** One budget in `status`. */
export interface BudgetLine {
  scope: BudgetScope;
  dimension: Dimension;
  used: number;
  most: number;
  /** Agent runs that did not report it: the real amount is higher. */
  unknown: number;
}

/** The budget that ended an agent run, or prevented its start. */
export interface BudgetReached extends BudgetLine {
  scope: 'run' | 'day';
  /** Concurrent agents use some of it; without them it would not be used up yet. */
  shared?: true;
}
