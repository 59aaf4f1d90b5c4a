import type { GateResult } from './gate.js';
import type { RunRef } from './run-ref.js';

export interface LandInput extends RunRef {
  idea: string;
  title: string;
  agentName: string;
  worktree: string;
  branch: string;
  base: string;
  head: string;
  /** Blues of which it is the last open child: ticked with it (A4). */
  blues?: string[];
}

export type LandResult =
  | {
      kind: 'landed';
      /** Tip of the target that contains the idea. */
      commit: string;
      commits: number;
      /** Something the user should know, e.g. that a dirty checkout was left behind. */
      note?: string;
      durationMs: number;
    }
  | { kind: 'conflict'; onto: string; files: string[]; detail: string; durationMs: number }
  | { kind: 'red'; onto: string; candidate: string; gate: GateResult; durationMs: number };

/** What became of an idea's worktree and branch is asked for only while nothing works on it and no landing of it runs. */
export interface IdeaGitInput extends RunRef {
  idea: string;
}

export interface RollbackInput extends IdeaGitInput {
  agentName: string;
}

/** An idea that has not landed, taken back to where it branched off. */
export interface RollbackResult {
  /** Save ref with the worktree as it was, its commits included; absent when there was nothing to save. */
  saved?: string;
  /** Commits that the branch no longer has. */
  commits: number;
}

export interface StashResult {
  /** Save ref with what was uncommitted; absent when nothing was. */
  saved?: string;
}

export interface UndoInput extends IdeaGitInput {
  title: string;
  agentName: string;
  /** What it landed as, where that is known: needed only when somebody rewrote its trailers away. */
  commit?: string;
  /** Blues above it: they lose their tick with it (A4). */
  blues?: string[];
}

/** Taking a landed idea off the target again. After `undone` it may be prepared and landed afresh. */
export type UndoResult =
  | {
      kind: 'undone';
      /** The commit on the target that takes the idea back. */
      commit: string;
      /** Commits that it takes back. */
      commits: number;
      /** Something the user should know, e.g. that a dirty checkout was left behind. */
      note?: string;
      durationMs: number;
    }
  /** What landed later stands on it. Nothing moved. */
  | { kind: 'conflict'; onto: string; files: string[]; detail: string; durationMs: number }
  /** The target without the idea is red. Nothing moved. */
  | { kind: 'red'; onto: string; candidate: string; gate: GateResult; durationMs: number }
  /** The target does not contain the idea. */
  | { kind: 'nothing' };

export interface CleanupInput extends IdeaGitInput {
  /** Also a locked worktree, a broken one, and one with repositories of its own; what cannot be saved is moved aside. */
  force?: boolean;
}

export interface CleanupResult {
  /** The idea has no worktree any more. */
  removed: boolean;
  /** Save ref with the worktree as it was. */
  saved?: string;
  /** Why it was not removed, or what was kept. */
  note?: string;
}
