/** An agent run of an idea, and the gate after it. Invariant: as in `model.ts`. */

import type { AgentSignal } from '../protocol/agent-run.js';
import type { GateCommandResult, TestCounts } from '../protocol/gate.js';

export interface GateRun {
  at: number;
  pass: boolean;
  /** No command is configured: nothing was judged. */
  none?: true;
  /** The failed command. */
  command?: string;
  /** null: a stop ended it. */
  exitCode?: number | null;
  /** Where the exit code does not say why it is red: the reason, to follow the command. */
  why?: string;
  log?: string;
  tests?: TestCounts;
  durationMs: number;
  /** It did not run again: this gate had found the same tree green. */
  same?: string;
  commands: GateCommandResult[];
  newTests: string[];
  knownTests: string[];
  flaky: string[];
  tolerated: string[];
  tripwires: string[];
}

/** One agent run and the gate after it. */
export interface Iteration {
  serial: number;
  /** 1-based. Runs that are not charged repeat a number. */
  number: number;
  /** It cost no iteration. */
  uncharged?: true;
  max?: number;
  startedAt: number;
  endedAt?: number;
  durationMs?: number;
  agent?: string;
  model?: string;
  signal?: AgentSignal;
  turnedDown?: string;
  /** Its worker was lost then, and it began again; epoch ms. */
  lost?: number[];
  /** It ended, and has not told what it used. */
  silent?: true;
  outcome?: 'ok' | 'timeout' | 'failed' | 'interrupted';
  message?: string;
  commits?: number;
  tokensIn?: number;
  tokensOut?: number;
  dollars?: number;
  words?: string;
  gate?: GateRun;
}
