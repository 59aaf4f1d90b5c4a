import type { GateResult } from './gate.js';
import type { Below, Pull } from './review.js';
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
  /** It goes on top of this open pull request instead of the target. */
  below?: Below;
  /** Places in the landing queue that it does not pass. */
  places?: KeptPlace[];
  /** Only says whether an operation of a person still holds the target: busy or free. */
  look?: true;
}

/** The place of an idea that came back from a conflict in these files. */
export interface KeptPlace {
  idea: string;
  files: string[];
}

export type LandResult =
  | {
      kind: 'landed';
      /** Tip of the target that contains the idea. */
      commit: string;
      commits: number;
      /** A note for the user, for example about a dirty checkout that was left behind. */
      note?: string;
      /** What a person took off the target since the landing before. Older versions say it in the note. */
      reverted?: Reverted[];
      durationMs: number;
      /** On the merged tree; absent where that had been gated already. */
      gate?: MergedGate;
    }
  /** `after`: its own commits begin after this one, where `onto` does not contain it. */
  | { kind: 'conflict'; onto: string; files: string[]; detail: string; after?: string; durationMs: number }
  | {
      kind: 'red';
      onto: string;
      candidate: string;
      gate: GateResult;
      /** Ideas on the target that were not there when it began. At most ten. */
      others?: string[];
      durationMs: number;
    }
  /** `landing.mode: pr`: its pull request is open. */
  | {
      kind: 'in-review';
      pull: Pull;
      /** What the forge refused of the answers to comments. */
      note?: string;
      /** Comments that have their answers since the last round of them, and who is asked for a review. */
      answered?: string[];
      asked?: string[];
      durationMs: number;
      gate?: MergedGate;
    }
  /** Somebody closed its pull request while nobody looked. */
  | ({ kind: 'pull-closed'; durationMs: number; gate?: MergedGate } & ClosedPull)
  /** It stands on a pull request that is not open any more, or it changes nothing of that one. */
  | { kind: 'waits-below'; why: 'moved' | 'empty'; durationMs: number; gate?: MergedGate }
  /** It changes these files, in which `behind` came back from a conflict. No gate ran, and nothing moved. */
  | { kind: 'waits-place'; behind: string; files: string[]; durationMs: number; gate?: MergedGate }
  /** A person's merge, rebase or the like in a checkout of the target is not over. Nothing moved. */
  | { kind: 'target-busy'; why: string; durationMs: number; gate?: MergedGate }
  /** It is over; this was only a look. */
  | { kind: 'target-free'; durationMs: number; gate?: MergedGate }
  /** Green, but the forge takes no pull request now. */
  | { kind: 'forge-waits'; why: string; at?: number; green?: Green; durationMs: number; gate?: MergedGate };

/** Landed work that a commit of a person took off the target. */
export interface Reverted {
  idea: string;
  /** The commit, abbreviated, and its subject. */
  by: string;
  subject: string;
  /** It took off only these files, and `more` of them. */
  files?: string[];
  more?: number;
}

export interface ClosedPull {
  number: number;
  url: string;
  by?: string;
  /** The words with which they closed it. */
  why?: string;
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
  /** It ran for another landing or idea, on the same tree, as in `gate of t-1`. */
  same?: string;
};

/** Cleanup of an idea's worktree and branch happens only while nothing works on it and no landing of it runs. */
export interface IdeaGitInput extends RunRef {
  idea: string;
}

export interface RollbackInput extends IdeaGitInput {
  agentName: string;
  /** For a retry that begins again. */
  fresh?: boolean | undefined;
}

/** Takes the work of an idea that has not landed back; it begins again on the target. */
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
  /**
   * The target does not contain the idea, or nothing of it any more. Nothing moved. `reverted`: who took it off. `lost`: the
   * landing, abbreviated, that was on the target before it was reset or rewritten.
   */
  | { kind: 'nothing'; reverted?: Reverted[]; lost?: string };

export interface CleanupInput extends IdeaGitInput {
  /**
   * Also a locked worktree, a broken one, and one with nested repositories. Data that cannot be saved is moved aside.
   */
  force?: boolean;
}

export interface CleanupResult {
  /** The idea has no worktree any more. */
  removed: boolean;
  /** It had none before either. */
  none?: true;
  /** Save ref with the worktree. */
  saved?: string;
  /** Why it was not removed, or what ralphctl kept. */
  note?: string;
}
