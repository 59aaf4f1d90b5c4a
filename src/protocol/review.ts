/**
 * Pull requests (`landing.mode: pr`): what the forge knows of an idea, and what a look at it finds.
 * Invariant: plain JSON and small. Fields are only ever added, never changed in meaning. Must import types only.
 */
import type { RunRef } from './run-ref.js';
import type { ReadyWork } from './states.js';

export interface Pull {
  number: number;
  url: string;
  /** The pushed commit, and the commit of the target, or of the pull request below it, that it stands on. */
  candidate: string;
  onto: string;
  /** It stands on the pull request of another idea (`landing.stack`). */
  below?: Below;
}

/** The pull request that another one stands on. */
export interface Below {
  idea: string;
  number: number;
  /** Its pushed commit. */
  commit: string;
}

/** The pull request below an idea, as the autopilot stores it. */
export interface StandsOn extends Below {
  /**
   * Why its landing waits for news of the one below. moved: the forge no longer has that one open. empty: it has no change
   * of its own, so it lands after that one only.
   */
  waits?: 'moved' | 'empty';
  /** The one below is out, and this one is looked at once more before a person is asked. */
  looked?: true;
  /** That look learned nothing, so the next one counts. */
  unheard?: true;
  /** The one below is out, and a person was asked: what comes next goes onto the target. */
  alone?: true;
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
  /** Looks that found it merged, and the remote without it. */
  missing?: number;
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
  /** `pull.below` has neither landed nor ended. */
  belowIsOpen?: true;
}

export type LookResult =
  /** `merged`: it is, and the remote does not show it yet. */
  | { kind: 'open'; merged?: true }
  | { kind: 'merged'; commit: string; by?: string; note?: string }
  /** `why`: the words with which they closed it. */
  | { kind: 'closed'; by?: string; why?: string }
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
  /** It is merged, and the target here does not have it: it has commits of its own, or the one below is not merged yet. */
  | { kind: 'behind'; why: string }
  /** It ended with the branch of the pull request below it, and the target does not have its work: it lands again. */
  | { kind: 'astray'; why: string }
  /** The forge could not be asked. `at`: when it takes requests again, where it says so; epoch ms. */
  | { kind: 'unreachable'; why: string; at?: number };
