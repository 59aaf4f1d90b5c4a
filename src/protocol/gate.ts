import type { PlanPosition } from './idea.js';
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
  /** Its slot, shared by gate and agent. Absent in inputs of 0.1. */
  agentName?: string;
  worktree: string;
  /** The commit that the work starts from. Absent in inputs of 0.1. */
  base?: string;
  /** The step of the plan that is claimed as done: a green gate completes it. */
  claimed?: PlanPosition;
  /** The agent does not claim to be done: checks that matter only before a landing are skipped. */
  unclaimed?: true;
}

export interface GateCommandResult {
  command: string;
  /** null: it did not finish (timeout, or killed). */
  exitCode: number | null;
  durationMs: number;
  tests?: TestCounts;
  /** How long it waited for its locks. */
  waitedMs?: number;
  /** It failed and ran once more on the same files. */
  again?: { exitCode: number | null; tests?: TestCounts };
  /** Tests that failed the first time, where it passed the second time: at most ten. */
  flakyTests?: string[];
}

export interface GateResult {
  pass: boolean;
  commands: GateCommandResult[];
  /** Set when `pass` is false. */
  failure?: GateFailure;
  tests?: TestCounts;
  /** Commands that failed and passed on a retry with the same files. */
  flaky?: string[];
  /** Commands that also fail on the base and are no worse now: tolerated, because the configuration says so. */
  tolerated?: string[];
  /** Processes that had got away from the commands and were ended: program and pid. */
  escaped?: string[];
  /** Paths in dependency folders that changed between the end of the agent and the gate. At most five. */
  late?: string[];
  /** File with the whole output of the command that ran last. */
  log?: string;
  /** Findings for a person before this lands. At most twenty. */
  tripwires?: Tripwire[];
  durationMs: number;
}

/** No command is configured, so nothing was judged. Older versions recorded no commands: then nobody knows. */
export const isNoGate = ({ pass, commands }: { pass: boolean; commands?: readonly unknown[] | undefined }): boolean =>
  pass && commands?.length === 0;

export interface GateFailure {
  command: string;
  exitCode: number | null;
  timedOut: boolean;
  tail: string;
  log: string;
  /** Where the exit code does not say why it is red: the reason, to follow the command. */
  why?: string;
  /** The base fails in the same way: a person has to check, unless the configuration says otherwise. */
  alreadyRed?: true;
  /** A program of the command is missing, here and on the base: the problem and its fix. */
  cannotRun?: string;
  /** Failing tests that pass on the base, and failing tests that also fail there. At most ten each. */
  newTests?: string[];
  knownTests?: string[];
}

/** A change that can make a gate green without making the work right. */
export interface Tripwire {
  kind: 'deleted-test' | 'new-skip' | 'gate-file' | 'base-test' | 'outside';
  /** The file, and the line where useful. For findings from running the gate: the command and tests. */
  subject: string;
  /** Reported, but stops nothing. */
  warn?: true;
}
