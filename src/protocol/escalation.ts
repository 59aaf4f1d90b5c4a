/** The ladder of an idea that gets nowhere. Must not import anything. */

/**
 * nudge: say so · fresh: forget the approach · stronger: the agent's stronger model or effort · other: the next agent ·
 * ask: a person.
 */
export interface Rung {
  do: 'nudge' | 'fresh' | 'stronger' | 'other' | 'ask';
}

export interface Ladder {
  /** Iterations without progress before the first rung. */
  after: number;
  /** Further ones before each next rung. */
  every: number;
  /** None: an idea goes on until its limits. */
  rungs: readonly Rung[];
  /** Agents that have a stronger model or effort. */
  stronger?: readonly string[];
}

/** Rungs passed since the last iteration that had progress, and how many of them could not be taken. */
export interface Stall {
  taken: number;
  skipped?: number;
}
