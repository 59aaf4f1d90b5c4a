import type { PlanPosition } from './plan.js';
import type { RunRef } from './run-ref.js';

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
  total: number;
}

export interface GateInput extends RunRef {
  idea: string;
  serial: number;
  /** Its slot, which gate and agent share. Absent in inputs of 0.1. */
  agentName?: string;
  worktree: string;
  /** The commit that the work started from. Absent in inputs of 0.1. */
  base?: string;
  /** The step of the plan that is claimed to be done: when the gate passes, it is over. */
  claimed?: PlanPosition;
  /** The agent does not say that it is done: what only matters before a landing is left out. */
  unclaimed?: true;
}

export interface GateCommandResult {
  command: string;
  /** null: it did not run to an end (timeout, or killed). */
  exitCode: number | null;
  durationMs: number;
  tests?: TestCounts;
}

export interface GateResult {
  pass: boolean;
  commands: GateCommandResult[];
  /** Set when `pass` is false. */
  failure?: GateFailure;
  tests?: TestCounts;
  /** Commands that failed and passed when run again on the same files. */
  flaky?: string[];
  /** Commands that fail on the base, too, and no worse now: let through, because the configuration says so. */
  tolerated?: string[];
  /** Processes that had got away from the commands and were ended: program and pid. */
  escaped?: string[];
  /** What a person should look at before this lands. At most twenty. */
  tripwires?: Tripwire[];
  durationMs: number;
}

export interface GateFailure {
  command: string;
  exitCode: number | null;
  timedOut: boolean;
  tail: string;
  log: string;
  /** The base fails in the same way: a person has to look, unless the configuration says otherwise. */
  alreadyRed?: true;
  /** A program of the command is missing, here and on the base: what happened, and what mends it. */
  cannotRun?: string;
  /** Failing tests that pass on the base, and such that fail there, too. At most ten each. */
  newTests?: string[];
  knownTests?: string[];
}

/** A change that can make a gate green without making the work right. */
export interface Tripwire {
  kind: 'deleted-test' | 'new-skip' | 'gate-file' | 'base-test' | 'outside';
  /** The file, and where it helps the line; of what was seen by running the gate, the command and tests. */
  subject: string;
  /** Told, and stops nothing. */
  warn?: true;
}
