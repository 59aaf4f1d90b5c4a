/**
 * What agents may use, and what they have used.
 * Invariant: what an agent does not report is unknown and counted as such, never as zero. Must not import anything.
 */

/** Amounts that may be limited; absent ones are not. */
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

/** More than this of anything is no amount but a mistake. */
export const MOST_AMOUNT = 1e12;

export interface BudgetSettings {
  /** One agent run. */
  iteration?: Amounts;
  idea?: Amounts;
  run?: Amounts;
  /** A calendar day of the worker's host, over all runs of the project. */
  day?: Amounts;
  /** Part of a budget from which on there is a warning, 0 to 1. */
  warnAt: number;
  /** Run and day are held while agents run, too. Absent in runs of 0.1, which looked between two runs only. */
  during?: true;
}
/** What run and day may use, with what a person has added. */
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

/** What the host's records say of today; times in epoch ms. */
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
  /** What is left is in use by agents that run now: nothing more begins before one of them has ended. */
  inUse?: true;
}

/** One budget in `status`. */
export interface BudgetLine {
  scope: BudgetScope;
  dimension: Dimension;
  used: number;
  most: number;
  /** Agent runs that did not report it: the real figure is higher. */
  unknown: number;
}

/** The budget that ended an agent run, or let it not begin. */
export interface BudgetReached extends BudgetLine {
  scope: 'run' | 'day';
  /** Some of it is used by agents that run at the same time; without them it would not be used up yet. */
  shared?: true;
}
