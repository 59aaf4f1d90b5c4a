/**
 * A reloaded configuration in an open run (A7).
 * Invariant: commands of people stay in force (slots, raised budgets), unless the configuration itself changes that
 * value.
 * May import protocol and decide only.
 */
import type { RunConfigResult } from '../../protocol/activities.js';
import { budgetChanged } from '../budget/control.js';
import { firstBudget } from '../budget/run.js';
import type { Board } from './board.js';

export function reconfigure(board: Board, { settings, agents, day }: RunConfigResult): void {
  const { state } = board;
  const before = board.settings;
  board.configure(settings, agents);
  if (settings.slots !== before.slots) state.slots = settings.slots;
  const budget = state.budget ?? firstBudget(settings.budget, day);
  if (budget) state.budget = budget;
  budgetChanged(board);
}
