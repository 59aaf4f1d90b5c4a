/**
 * Mode step (A6): everything that changes something waits for a person's yes: each iteration, and then the landing.
 * Invariant: one yes is for one step; a yes to a gate that asks is one to the landing that it asks about.
 * May import protocol and decide only.
 */
import type { IdeaEntry } from '../protocol/run.js';
import type { Board } from './board.js';

export const mustBeApproved = ({ state, settings }: Board, { mayLand }: IdeaEntry): boolean =>
  settings.stepLanding === true && state.mode === 'step' && !mayLand;

export function askToLand(entry: IdeaEntry): void {
  entry.approval = true;
  entry.reason = 'done and green: its landing waits for an approval';
}

/** The idea is in the lane already. */
export function letLand(board: Board, entry: IdeaEntry): void {
  delete entry.approval;
  delete entry.reason;
  board.touch(entry);
}

/** Ideas that are done and wait for a yes to land. */
export const asksToLand = ({ status, approval }: IdeaEntry): boolean => status === 'landing' && approval === true;
