/** The escalation of an idea that stops making progress. Must not import anything. */

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
