/**
 * Whether a slot goes back: of an agent at its end, before its work is settled, and of a paused idea.
 * Invariant: not where the run has to know first how the agent run ended. May import protocol only.
 */
import type { IdeaRunState } from '../../protocol/idea-run.js';
import type { RunSettings } from '../../protocol/run-settings.js';

export function givesSlotBack(
  { settlesBeside, gatesBeside, budget }: Pick<RunSettings, 'settlesBeside' | 'gatesBeside' | 'budget'>,
  { step, choice }: Pick<IdeaRunState, 'step' | 'choice'>,
): boolean {
  if (!settlesBeside || gatesBeside === undefined) return false;
  // What it used may be the last of the budget: nothing may begin before that is known.
  if (budget?.run || budget?.day) return false;
  // Others wait for the outcome of a first try after a limit. In mode step ideas wait for their approvals in slots.
  return !step && !choice?.probe;
}

/** In waves an idea may have to begin on the changes of the one before. In mode step ideas wait in slots. */
export function pauseGivesSlotBack(
  { pausesBeside, gatesBeside, waves }: Pick<RunSettings, 'pausesBeside' | 'gatesBeside' | 'waves'>,
  { step }: Pick<IdeaRunState, 'step'>,
): boolean {
  return pausesBeside === true && gatesBeside !== undefined && !waves && !step;
}
