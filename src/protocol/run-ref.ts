/** Which run an activity works for, and how much text may enter workflow history. Imports nothing. */

/** Names the run whose pinned files an activity works from. */
export interface RunRef {
  project: string;
  runId: string;
  /** Revision of the run's configuration that counts; absent: the one it was started with. */
  config?: number;
}

/** Longest text tail that may enter workflow history, in characters. */
export const TAIL_LIMIT = 2000;
