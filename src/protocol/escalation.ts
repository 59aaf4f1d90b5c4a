/** The ladder of an idea that gets nowhere. Must not import anything. */

/** nudge: say so · fresh: forget the approach · ask: a person. */
export interface Rung {
  do: 'nudge' | 'fresh' | 'ask';
}

export interface Ladder {
  /** Iterations without progress before the first rung. */
  after: number;
  /** Further ones before each next rung. */
  every: number;
  /** None: an idea goes on until its limits. */
  rungs: readonly Rung[];
}

/** Where an idea stands: iterations without progress, and rungs taken since the last one that had some. */
export interface Stall {
  idle: number;
  taken: number;
}
