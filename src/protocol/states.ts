/** States of runs and ideas, in the words that all sides use. Imports nothing. */

/** `idle`: not opened yet. `waiting_user`: semi-auto, ideas start when they are assigned. */
export type RunState = 'idle' | 'running' | 'pausing' | 'paused' | 'waiting_user' | 'stopping' | 'completed';

/** Displayed instead of `running` while nothing runs and a person is asked. */
export const WAITS_FOR_YOU = 'waits for you';

export type StandingState = RunState | typeof WAITS_FOR_YOU;

export type RunOutcome = 'completed' | 'stopped' | 'aborted';

/** The displayed state: after the end, how it ended. */
export type ShownState = StandingState | RunOutcome;

/** The parent's status of an idea. */
export const IDEA_STATUSES = [
  'pending',
  'running',
  'paused',
  'needs-human',
  /** Answered or bounced from landing: wants a slot again, before any new idea. */
  'wants-slot',
  /** Gate green; in the landing queue, or landing. */
  'landing',
  'landed',
  'blocked',
  'timeout',
  'failed',
  /** A person left it out of this run. */
  'skipped',
  /** A person gave it up. */
  'abandoned',
] as const;

export type IdeaStatus = (typeof IDEA_STATUSES)[number];

/** What views show of a pending idea that a person put on hold, and of one that waits for an approval. */
export const SHOWN_STATUSES = ['held', 'wants-approval'] as const;

/** A status by which people choose ideas. */
export type ChosenStatus = IdeaStatus | (typeof SHOWN_STATUSES)[number];

const WORDS: Partial<Record<IdeaStatus, string>> = { timeout: 'timed out', 'needs-human': 'asks' };

/** As people read it. */
export const statusWord = (status: IdeaStatus): string => WORDS[status] ?? status;

/** By its status, and by the word that views show in its place. */
export const isChosen = (
  chosen: ReadonlySet<ChosenStatus>,
  { status, held, approval }: { status: IdeaStatus; held?: boolean | undefined; approval?: boolean | undefined },
): boolean => chosen.has(status) || (approval ? chosen.has('wants-approval') : held === true && chosen.has('held'));

/** Statuses of an idea whose agent may be right that all is done. */
export const MAY_BE_FINISHED: ReadonlySet<IdeaStatus> = new Set([
  ...(['running', 'paused', 'wants-slot', 'landing', 'landed'] as const),
]);

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

/** The data of a finished idea that its landing needs. */
export interface ReadyWork {
  worktree: string;
  branch: string;
  base: string;
  head: string;
  agentName: string;
}
