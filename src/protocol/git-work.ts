import type { GateResult } from './gate.js';
import type { Pull } from './review.js';
import type { RunRef } from './run-ref.js';

export interface LandInput extends RunRef {
  idea: string;
  title: string;
  agentName: string;
  worktree: string;
  branch: string;
  base: string;
  head: string;
  /** Blues of which it is the last open child: they are ticked with it (A4). */
  blues?: string[];
  /** Of an earlier try that waited for the forge. */
  green?: Green;
  /** Comments and checks of its pull request that its agent had before this work. */
  seen?: string[];
  /** A person wants it again: a pull request that was closed is followed by another one. */
  anew?: true;
}

export type LandResult =
  | {
      kind: 'landed';
      /** Tip of the target that contains the idea. */
      commit: string;
      commits: number;
      /** A note for the user, for example about a dirty checkout that was left behind. */
      note?: string;
      durationMs: number;
      /** On the merged tree; absent where that had been gated already. */
      gate?: MergedGate;
    }
  | { kind: 'conflict'; onto: string; files: string[]; detail: string; durationMs: number }
  | { kind: 'red'; onto: string; candidate: string; gate: GateResult; durationMs: number }
  /** `landing.mode: pr`: its pull request is open. */
  | {
      kind: 'in-review';
      pull: Pull;
      /** What the forge refused of the answers to comments. */
      note?: string;
      durationMs: number;
      gate?: MergedGate;
    }
  /** Somebody closed its pull request while nobody looked. */
  | ({ kind: 'pull-closed'; durationMs: number; gate?: MergedGate } & ClosedPull)
  /** Green, but the forge takes no pull request now. */
  | { kind: 'forge-waits'; why: string; at?: number; green?: Green; durationMs: number; gate?: MergedGate };

export interface ClosedPull {
  number: number;
  url: string;
  by?: string;
}

/** A green gate of a landing that waits: the same trees are not gated again. */
export interface Green {
  trees: string;
  gate: MergedGate;
}

/** Why an idea does not land. */
export type Bounced = Extract<LandResult, { kind: 'conflict' | 'red' }>;

export type MergedGate = Pick<GateResult, 'commands' | 'tests' | 'durationMs' | 'log'> & {
  /** It ran in an earlier try, which has been told. */
  earlier?: true;
};

/** Cleanup of an idea's worktree and branch happens only while nothing works on it and no landing of it runs. */
export interface IdeaGitInput extends RunRef {
  idea: string;
}

export interface RollbackInput extends IdeaGitInput {
  agentName: string;
}

/** Resets an idea that has not landed to its base. */
export interface RollbackResult {
  /** Save ref with the worktree and its commits; absent when there was nothing to save. */
  saved?: string;
  /** Commits that left the branch. */
  commits: number;
}

export interface StashResult {
  /** Save ref with the uncommitted work; absent without any. */
  saved?: string;
}

export interface UndoInput extends IdeaGitInput {
  title: string;
  agentName: string;
  /** Its landing commit, where known: needed only when somebody rewrote its trailers away. */
  commit?: string;
  /** Blues above it: they lose their tick with it (A4). */
  blues?: string[];
}

/** Takes a landed idea off the target. After `undone` it may be prepared and landed again. */
export type UndoResult =
  | {
      kind: 'undone';
      /** The commit on the target that reverts the idea. */
      commit: string;
      /** The reverted commits. */
      commits: number;
      /** A note for the user, for example about a dirty checkout that was left behind. */
      note?: string;
      durationMs: number;
    }
  /** Later landings build on it. Nothing moved. */
  | { kind: 'conflict'; onto: string; files: string[]; detail: string; durationMs: number }
  /** The gate is red on the target without the idea. Nothing moved. */
  | { kind: 'red'; onto: string; candidate: string; gate: GateResult; durationMs: number }
  /** The target does not contain the idea. */
  | { kind: 'nothing' };

export interface CleanupInput extends IdeaGitInput {
  /**
   * Also a locked worktree, a broken one, and one with nested repositories. Data that cannot be saved is moved aside.
   */
  force?: boolean;
}

export interface CleanupResult {
  /** The idea has no worktree any more. */
  removed: boolean;
  /** Save ref with the worktree. */
  saved?: string;
  /** Why it was not removed, or what ralphctl kept. */
  note?: string;
}
