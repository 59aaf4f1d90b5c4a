/** Identifies the run of an activity, and limits text in workflow history. Imports nothing. */

/** Names the run whose pinned files an activity uses. */
export interface RunRef {
  project: string;
  runId: string;
  /** Revision of the run's configuration in force; absent: the first one. */
  config?: number;
}

/** Longest text tail that may enter workflow history, in characters. */
export const TAIL_LIMIT = 2000;
