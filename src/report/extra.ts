/**
 * Additional facts for a report: from git, from files of other runs, and from the machine.
 * Invariant: every field except the time may be absent; the report then omits that part. Must import types only.
 */
import type { Gone } from '../model/model.js';
import type { Night } from './night.js';
import type { SlotTime } from './slot-use.js';

export type { Gone };

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
  slotTime?: SlotTime;
  lines?: ReadonlyMap<string, LandedLines>;
  /** Newest first. */
  earlier?: readonly OtherRun[];
  /** The state of ideas in newer runs, in words. */
  later?: ReadonlyMap<string, string>;
  /** Why nothing moves in the open run. */
  still?: string;
  /** A sentence about a checkout that lacks landed commits. */
  behind?: string;
  /** Landed ideas of the run that have left the target since, wholly or in part. */
  gone?: ReadonlyMap<string, Gone>;
  /** Ideas abandoned for all runs. */
  givenUp?: ReadonlySet<string>;
  /** Undefined: no such branch. */
  branchOf?: (idea: string) => string | undefined;
  /** Commits of that branch that the target lacks. Undefined: git does not tell. */
  commitsOf?: (idea: string) => number | undefined;
  /** The last lines of the gate's output, for ideas whose last gate was red. */
  gateTails?: ReadonlyMap<string, string>;
  /** Ideas with save points. */
  saved?: ReadonlySet<string>;
  /** Where the target is now. */
  tip?: string;
}
