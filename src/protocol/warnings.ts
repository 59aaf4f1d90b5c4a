/** Warnings (B6): visible everywhere, answerable, and the loop continues while they wait. Must not import anything. */

/**
 * stuck: it makes no progress · iterations: most of them are used · budget: most of it is used · outside: something of
 * the user's or of another idea changed during the run, and nobody knows by whom · worker: none takes its work.
 */
export type WarningKind = 'stuck' | 'iterations' | 'budget' | 'outside' | 'worker';

export interface Warning {
  kind: WarningKind;
  text: string;
  /** epoch ms */
  since: number;
}

/**
 * One open warning in `status`; without an idea it is the run's. `errors`: too many ideas failed one after another.
 * `push`: the remote lacks landed work. `target`: a person's merge or the like holds it, and landings wait. `files`: a file of the run cannot be read; no event has it.
 */
export interface WarningLine {
  idea?: string;
  kind: WarningKind | 'errors' | 'push' | 'target' | 'files';
  text: string;
  since?: number;
}

/** Maximum length of a warning's text. Its commands must stay whole, so nothing cuts it shorter in a line of text. */
export const LONGEST_WARNING = 1200;

/** A person's reply to an idea's warnings. `more`: that many additional iterations. */
export type WarningAnswer = { do: 'continue' } | { do: 'stop' } | { do: 'more'; by: number };

/** The record of an idea's progress. */
export interface Watch {
  /** The result of the last iteration: tree and gate. */
  fingerprint?: string;
  /** That and recent results, newest first. */
  seen?: string[];
  /** The last red gate's result. */
  red?: string;
  /** Iterations in a row without progress. */
  same: number;
  /** Answered or given warnings: not repeated for the same cause. */
  told: string[];
  open: Warning[];
}

export interface WarningSettings {
  /** Iterations without progress. */
  stuckAfter: number;
  /** Part of the iterations, 0 to 1. */
  iterationsAt: number;
}

/* The escalation of an idea that stops making progress. Must not import anything. */

/**
 * nudge: ask for another approach · fresh: drop the approach · stronger: the agent's stronger model or effort · other:
 * the next agent · ask: a person.
 */
export interface Rung {
  do: 'nudge' | 'fresh' | 'stronger' | 'other' | 'ask';
}

export interface Ladder {
  /** Iterations without progress before the first rung. */
  after: number;
  /** Further ones before each next rung. */
  every: number;
  /** None: an idea continues until its limits. */
  rungs: readonly Rung[];
  /** Agents that have a stronger model or effort. */
  stronger?: readonly string[];
}

/** Rungs since the last iteration with progress, and how many of them were skipped. */
export interface Stall {
  taken: number;
  skipped?: number;
}
