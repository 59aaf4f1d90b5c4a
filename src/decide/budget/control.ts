/**
 * How the budgets of run and day control the run: a used-up budget pauses it; a raise or a new day resumes it. Running
 * agents learn what they may use.
 * Invariant: this file never ends a pause that a person asked for.
 * May import protocol and decide only.
 */
import { type Ceilings, MOST_AMOUNT } from '../../protocol/budget.js';
import type { Board } from '../run/board.js';
import { isActive, pauseRun, resumeRun, tellIdea } from '../run/control.js';
import { runQuestion, usedUp } from './amounts.js';
import { ceilingsOf, overBudget, type Raise, raiseBudget, runBudgetLines, turnDay } from './run.js';

/** What agents may use together; undefined where no limit applies while they work. */
export const currentCeilings = ({ state, settings }: Board): Ceilings | undefined =>
  ceilingsOf(state.budget, settings.budget);

function tellCeilings(board: Board): void {
  const ceilings = currentCeilings(board);
  if (ceilings) for (const entry of board.openIdeas()) tellIdea(board, entry, 'edited', [{ ceilings }]);
}

/** Starts a new day when it is due, and pauses a run whose budget is used up. `now` in epoch ms. */
export function watchBudget(board: Board, now: number): void {
  const { state, settings } = board;
  const { budget } = state;
  if (!budget || !settings.budget) return;
  const raised = budget.raised.day !== undefined;
  if (turnDay(budget, now)) {
    delete budget.inUse;
    if (raised) tellCeilings(board);
    if (budget.paused === 'day') goOn(board);
  }
  if (!isActive(board)) return;
  // Something else has resumed the run already.
  delete budget.paused;
  const over = overBudget(budget, settings.budget);
  if (!over || over.scope === 'idea') return;
  budget.paused = over.scope;
  pauseRun(board, runQuestion(over));
}

/** The budget that pauses the run again as soon as it is resumed. */
export function budgetProblem({ state, settings }: Board): string | undefined {
  const over = state.budget && settings.budget && overBudget(state.budget, settings.budget);
  return over && over.scope !== 'idea' ? runQuestion(over) : undefined;
}

/** Raises a budget, and resumes a run that it had paused. False when the run has no such budget. */
export function raise(board: Board, more: Raise): boolean {
  const { state, settings } = board;
  if (!state.budget || !settings.budget || !raiseBudget(state.budget, settings.budget, more)) return false;
  delete state.budget.inUse;
  tellCeilings(board);
  if (state.budget.paused && !overBudget(state.budget, settings.budget)) goOn(board);
  return true;
}

/** A new configuration changes the budgets. Resumes a run that its budget had paused, if there is budget again. */
export function budgetChanged(board: Board): void {
  const { state, settings } = board;
  if (!state.budget) return;
  delete state.budget.inUse;
  tellCeilings(board);
  if (state.budget.paused && !(settings.budget && overBudget(state.budget, settings.budget))) goOn(board);
}

/** Why {@link raise} would change nothing; undefined when it would. */
export function raiseProblem({ state, settings }: Board, { scope, dimension, by }: Raise): string | undefined {
  if (by !== undefined && !(by > 0 && by <= MOST_AMOUNT))
    return 'an amount must be a number above 0. Example: ralphctl budget raise +5';
  const lines = state.budget && settings.budget ? runBudgetLines(state.budget, settings.budget) : [];
  const meant = lines.filter(
    (line) => (!scope || line.scope === scope) && (!dimension || line.dimension === dimension),
  );
  if (meant.length === 0) return 'the run has no such budget. See: ralphctl budget';
  if (meant.length === 1 || usedUp(meant)) return undefined;
  return 'more than one budget matches; add --scope run|day and --of iterations|minutes|tokens|dollars';
}

function goOn(board: Board): void {
  delete board.state.budget?.paused;
  resumeRun(board);
}
