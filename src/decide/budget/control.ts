/**
 * The budgets of run and day as levers of the run: they pause it, a raise or a new day lets it go on, and agents at work are
 * told what they may use.
 * Invariant: a pause that a person asked for is never ended from here.
 * May import protocol and decide only.
 */
import { type Ceilings, MOST_AMOUNT } from '../../protocol/budget.js';
import type { Board } from '../run/board.js';
import { isActive, pauseRun, resumeRun, tellIdea } from '../run/control.js';
import { runQuestion, usedUp } from './amounts.js';
import { ceilingsOf, overBudget, type Raise, raiseBudget, runBudgetLines, turnDay } from './run.js';

/** What agents may use together; undefined where they are not held while they work. */
export const currentCeilings = ({ state, settings }: Board): Ceilings | undefined =>
  ceilingsOf(state.budget, settings.budget);

function tellCeilings(board: Board): void {
  const ceilings = currentCeilings(board);
  if (ceilings) for (const entry of board.openIdeas()) tellIdea(board, entry, 'edited', [{ ceilings }]);
}

/** Turns the day, and pauses a run that has used up what it may. `now` in epoch ms. */
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
  // Somebody else has let it go on meanwhile.
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

/** More of a budget. A run that was paused by it goes on. False when no such budget is kept. */
export function raise(board: Board, more: Raise): boolean {
  const { state, settings } = board;
  if (!state.budget || !settings.budget || !raiseBudget(state.budget, settings.budget, more)) return false;
  delete state.budget.inUse;
  tellCeilings(board);
  if (state.budget.paused && !overBudget(state.budget, settings.budget)) goOn(board);
  return true;
}

/** Another configuration allows more or less. A run that was paused by its budget goes on where it may. */
export function budgetChanged(board: Board): void {
  const { state, settings } = board;
  if (!state.budget) return;
  delete state.budget.inUse;
  tellCeilings(board);
  if (state.budget.paused && !(settings.budget && overBudget(state.budget, settings.budget))) goOn(board);
}

/** Why {@link raise} would change nothing; undefined when it would. */
export function raiseProblem({ state, settings }: Board, { scope, dimension, by }: Raise): string | undefined {
  if (by !== undefined && !(by > 0 && by <= MOST_AMOUNT)) return 'that is no amount; e.g.: ralphctl budget raise +5';
  const lines = state.budget && settings.budget ? runBudgetLines(state.budget, settings.budget) : [];
  const meant = lines.filter(
    (line) => (!scope || line.scope === scope) && (!dimension || line.dimension === dimension),
  );
  if (meant.length === 0) return 'the run has no such budget. See: ralphctl budget';
  if (meant.length === 1 || usedUp(meant)) return undefined;
  return 'several budgets could be meant; say --scope run|day and --of iterations|minutes|tokens|dollars';
}

function goOn(board: Board): void {
  delete board.state.budget?.paused;
  resumeRun(board);
}
