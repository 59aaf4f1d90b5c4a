/** States of runs and ideas, in the words that every side uses. Imports nothing. */

/** `idle`: not opened yet. `waiting_user`: semi-auto, ideas start when they are assigned. */
export type RunState = 'idle' | 'running' | 'pausing' | 'paused' | 'waiting_user' | 'stopping' | 'completed';

/** Shown in the place of `running` while nothing runs and a person is asked. */
export const WAITS_FOR_YOU = 'waits for you';

export type StandingState = RunState | typeof WAITS_FOR_YOU;

export type RunOutcome = 'completed' | 'stopped' | 'aborted';

/** As people are shown it: at its end, how it ended. */
export type ShownState = StandingState | RunOutcome;

/** What the parent knows of an idea. */
export const IDEA_STATUSES = [
  'pending',
  'running',
  'paused',
  'needs-human',
  /** Answered or bounced from landing: wants a slot again, before any new idea gets one. */
  'wants-slot',
  /** Gate green; queued to land, or landing. */
  'landing',
  'landed',
  'blocked',
  'timeout',
  'failed',
  /** Not in this run, a person said. */
  'skipped',
  /** Given up by a person. */
  'abandoned',
] as const;

export type IdeaStatus = (typeof IDEA_STATUSES)[number];

/** How an idea workflow can end. `stopped` puts the idea back to pending; `skipped`: it failed, and failed ones are skipped. */
export type IdeaOutcome = 'landed' | 'blocked' | 'timeout' | 'failed' | 'stopped' | 'skipped';

export interface IterationStats {
  count: number;
  totalMs: number;
  minMs: number;
  maxMs: number;
}

/** Work on an idea's commits or worktree that a person asked for. */
export type GitTask = 'rollback' | 'cleanup' | 'stash' | 'undo';

/** What landing needs to know of a finished idea. */
export interface ReadyWork {
  worktree: string;
  branch: string;
  base: string;
  head: string;
  agentName: string;
}
