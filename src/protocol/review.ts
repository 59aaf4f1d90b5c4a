/**
 * Pull requests (`landing.mode: pr`): what the forge knows of an idea, and what a look at it finds.
 * Invariant: plain JSON and small. Fields are only ever added, never changed in meaning. Must import types only.
 */
import type { RunRef } from './run-ref.js';
import type { ReadyWork } from './states.js';

export interface Pull {
  number: number;
  url: string;
  /** The pushed commit, and the commit of the target that it stands on. */
  candidate: string;
  onto: string;
}

/** An idea in review, as the autopilot stores it. */
export interface ReviewState extends Pull {
  work: ReadyWork;
  /** Next look, epoch ms. Absent: its agent has it back, or it lands again. */
  at?: number;
  /** A look is under way. */
  busy?: true;
  /** Looks in a row without news. */
  quiet: number;
  /** Reviews, comments and checks that its agent has got. */
  seen: string[];
  /** Its agent has only a part of the comments. */
  rest?: true;
  /** The commit that it stood on when it last conflicted with its base. */
  apart?: string;
}

export interface LookInput extends RunRef {
  idea: string;
  pull: Pull;
  work: ReadyWork;
  seen: string[];
}

export type LookResult =
  | { kind: 'open' }
  | { kind: 'merged'; commit: string; by?: string; note?: string }
  | { kind: 'closed'; by?: string }
  /** It conflicts with its base: it lands again on top of it. */
  | { kind: 'apart' }
  /** For the agent: checks are red, or somebody asks for changes. */
  | {
      kind: 'back';
      about: 'checks' | 'comments';
      what: string;
      tail: string;
      seen: string[];
      /** Further comments, which come with the next look. */
      rest?: number;
    }
  /** It is merged, and the target here cannot follow: it has commits of its own. */
  | { kind: 'behind'; why: string }
  /** The forge could not be asked. */
  | { kind: 'unreachable'; why: string };
