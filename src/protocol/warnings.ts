/** Warnings (B6): visible everywhere, answerable, and the loop goes on while they wait. Must not import anything. */

/**
 * stuck: it gets nowhere any more · iterations: most of them are used · budget: most of it is used · outside: something of
 * the user's or of another idea changed while it ran, and nobody knows by whom · worker: none takes its work.
 */
export type WarningKind = 'stuck' | 'iterations' | 'budget' | 'outside' | 'worker';

export interface Warning {
  kind: WarningKind;
  text: string;
  /** epoch ms */
  since: number;
}

/** One open warning in `status`; without an idea it is the run's. `errors`: too many ideas failed one after another. */
export interface WarningLine {
  idea?: string;
  kind: WarningKind | 'errors';
  text: string;
  since?: number;
}

/** What a person says to an idea's warnings. `more`: that many iterations more. */
export type WarningAnswer = { do: 'continue' } | { do: 'stop' } | { do: 'more'; by: number };

/** What is watched of an idea's progress. */
export interface Watch {
  /** What the last iteration left: tree and gate. */
  fingerprint?: string;
  /** That and what was left lately, newest first. */
  seen?: string[];
  /** What the last gate said where it was red. */
  red?: string;
  /** Iterations in a row that got nowhere. */
  same: number;
  /** Warnings answered or given: not given again for the same cause. */
  told: string[];
  open: Warning[];
}

export interface WarningSettings {
  /** Iterations without progress. */
  stuckAfter: number;
  /** Part of the iterations, 0 to 1. */
  iterationsAt: number;
}
