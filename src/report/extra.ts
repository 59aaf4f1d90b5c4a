/**
 * Additional facts for a report: from git, from files of other runs, and from the machine.
 * Invariant: every field except the time may be absent; the report then omits that part. Must import types only.
 */
import type { Night } from './night.js';

/** A landing on the target, by its commits. */
export interface LandedLines {
  added: number;
  deleted: number;
  commits: number;
  /** Its first commit, the commit before that, and its last. */
  first: string;
  before?: string;
  to: string;
}

/** An older or newer run of the same project, from its summary. */
export interface OtherRun {
  runId: string;
  startedAt?: number;
  /** Its ideas that did not land, with their statuses. */
  open: ReadonlyMap<string, string>;
}

/** How landed work left the target. */
export interface Gone {
  /** A sentence without its end. */
  text: string;
  /** Its commit. */
  landed: string;
  /** The commit that took it off; absent: the branch was reset or rewritten. */
  by?: string;
  /** The files that it took off, where the rest is still there. */
  part?: string[];
  /** Runs the idea again; of a part: shows what was taken off. */
  command: string;
}

export interface Extra {
  now: number;
  zone: string;
  /** The run has ended, so only a new run can continue the work. */
  over: boolean;
  /** A newer run has done work since. */
  older?: boolean;
  /** The run ended without a final event. */
  terminated?: boolean;
  night?: Night;
  lines?: ReadonlyMap<string, LandedLines>;
  /** Newest first. */
  earlier?: readonly OtherRun[];
  /** The state of ideas in newer runs, in words. */
  later?: ReadonlyMap<string, string>;
  /** A sentence about a checkout that lacks landed commits. */
  behind?: string;
  /** Landed ideas of the run that have left the target since, wholly or in part. */
  gone?: ReadonlyMap<string, Gone>;
  /** Ideas abandoned for all runs. */
  givenUp?: ReadonlySet<string>;
  /** Undefined: no such branch. */
  branchOf?: (idea: string) => string | undefined;
  /** Ideas with save points. */
  saved?: ReadonlySet<string>;
  /** Where the target is now. */
  tip?: string;
}
