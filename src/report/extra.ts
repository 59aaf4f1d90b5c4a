/**
 * What a report needs beside the model: from git, from files of other runs, and from the machine.
 * Invariant: everything but the time may be absent; the report leaves the part out then. Must import types only.
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

/** An older or newer run of the same project, as its summary says. */
export interface OtherRun {
  runId: string;
  startedAt?: number;
  /** Its ideas that did not land, with their statuses. */
  open: ReadonlyMap<string, string>;
}

export interface Extra {
  now: number;
  zone: string;
  /** The run has ended; what helps then is another run. */
  over: boolean;
  /** It ended without saying so. */
  terminated?: boolean;
  night?: Night;
  lines?: ReadonlyMap<string, LandedLines>;
  /** Newest first. */
  earlier?: readonly OtherRun[];
  /** How ideas stand in newer runs, in words. */
  later?: ReadonlyMap<string, string>;
  /** A checkout that landings have left behind, as a sentence. */
  behind?: string;
  /** Landed ideas that are missing from the target, as sentences. */
  gone?: readonly string[];
  /** Abandoned for all runs. */
  givenUp?: ReadonlySet<string>;
  branchOf?: (idea: string) => string;
}
