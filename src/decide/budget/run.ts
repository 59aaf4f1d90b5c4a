/**
 * The budgets of the run and of the day, as the autopilot stores them.
 * Invariant: a used-up budget pauses the run, even after a resume, until someone raises it or the day ends.
 * May import protocol and decide only.
 */
import {
  type Amounts,
  type BudgetLine,
  type BudgetReached,
  type BudgetSettings,
  type BudgetState,
  type Ceilings,
  type DayTotal,
  type Dimension,
  MOST_AMOUNT,
  type Spent,
} from '../../protocol/budget.js';
import type { WarningLine } from '../../protocol/warnings.js';
import {
  addAmounts,
  addSpent,
  budgetLines,
  DIMENSIONS,
  lineText,
  nearlyUsed,
  nothingSpent,
  usedUp,
} from './amounts.js';

const DAY_MS = 24 * 60 * 60_000;
/** A day with a clock change has 25 hours. */
const LONGEST_DAY_MS = DAY_MS + 60 * 60_000;

/** Undefined where neither the run nor the day has a budget. */
export function firstBudget(settings: BudgetSettings | undefined, day: DayTotal | undefined): BudgetState | undefined {
  if (!settings?.run && !settings?.day) return undefined;
  return {
    run: nothingSpent(),
    day: day?.spent ?? nothingSpent(),
    dayEndsAt: day?.endsAt ?? Number.MAX_SAFE_INTEGER,
    raised: {},
  };
}

export function spend(state: BudgetState, spent: Spent): void {
  state.run = addSpent(state.run, spent);
  state.day = addSpent(state.day, spent);
}

/** Starts a new day when the old one is over; true when it did. Times in epoch ms. */
export function turnDay(state: BudgetState, now: number): boolean {
  // The host's clock was ahead and has been corrected. Without this, the day would last too long by that difference.
  const left = state.dayEndsAt - now;
  if (left > LONGEST_DAY_MS && state.dayEndsAt < Number.MAX_SAFE_INTEGER) {
    state.dayEndsAt -= Math.floor((left - 1) / DAY_MS) * DAY_MS;
  }
  if (now < state.dayEndsAt) return false;
  // After a clock change the day is off by an hour. The next run reads the host's clock again.
  while (state.dayEndsAt <= now) state.dayEndsAt += DAY_MS;
  state.day = nothingSpent();
  delete state.raised.day;
  return true;
}

export function runBudgetLines(state: BudgetState, settings: BudgetSettings): BudgetLine[] {
  return [
    ...budgetLines('run', settings.run, state.raised.run, state.run),
    ...budgetLines('day', settings.day, state.raised.day, state.day),
  ];
}

/** The limits that agents get; undefined where no limit applies while they work. */
export function ceilingsOf(state: BudgetState | undefined, settings: BudgetSettings | undefined): Ceilings | undefined {
  if (!state || !settings?.during) return undefined;
  const { run, day } = settings;
  return {
    run: run ? withRaised(run, state.raised.run) : undefined,
    day: day ? withRaised(day, state.raised.day) : undefined,
  };
}

/** Raising an unlimited dimension leaves it unlimited. */
function withRaised(limit: Amounts, raised: Amounts = {}): Amounts {
  const sum: Amounts = {};
  for (const dimension of DIMENSIONS) {
    const most = limit[dimension];
    if (most !== undefined) sum[dimension] = most + (raised[dimension] ?? 0);
  }
  return sum;
}

/** An agent hit a budget that was raised after the agent began. */
export const isStale = (reached: BudgetReached, state: BudgetState, settings: BudgetSettings): boolean =>
  !runBudgetLines(state, settings).some(
    ({ scope, dimension, most }) => scope === reached.scope && dimension === reached.dimension && most <= reached.most,
  );

export const overBudget = (state: BudgetState, settings: BudgetSettings): BudgetLine | undefined =>
  usedUp(runBudgetLines(state, settings));

/** The budgets that are nearly used. */
export function budgetWarnings(state: BudgetState, settings: BudgetSettings): WarningLine[] {
  return nearlyUsed(runBudgetLines(state, settings), settings.warnAt).map((line) => ({
    kind: 'budget',
    text: `budget of the ${line.scope}: ${lineText(line)}`,
  }));
}

export interface Raise {
  scope?: 'run' | 'day';
  dimension?: Dimension;
  /** Absent: the same amount again. */
  by?: number;
}

/** Raises the named budget, else the one that is used up. False when there is none. */
export function raiseBudget(state: BudgetState, settings: BudgetSettings, { scope, dimension, by }: Raise): boolean {
  const lines = runBudgetLines(state, settings).filter(
    (line) => (!scope || line.scope === scope) && (!dimension || line.dimension === dimension),
  );
  const line = usedUp(lines) ?? (lines.length === 1 ? lines[0] : undefined);
  if (!line || line.scope === 'idea' || (by !== undefined && !(by > 0 && by <= MOST_AMOUNT))) return false;
  const more = { [line.dimension]: by ?? settings[line.scope]?.[line.dimension] ?? line.most };
  state.raised[line.scope] = addAmounts(state.raised[line.scope], more);
  return true;
}
