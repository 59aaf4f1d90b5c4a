/**
 * A run as people see it: one object that `status`, `show`, the report and the full screen read.
 * Invariant: facts only, no words or colours of a view. An unreported fact is absent, never 0. Times are epoch ms. Must
 * import types only.
 */

import type { AgentSignal } from '../protocol/agent-run.js';
import type { BudgetLine, Spent } from '../protocol/budget.js';
import type { RunMode, Teller } from '../protocol/command.js';
import type { Asking, StampedEvent } from '../protocol/events.js';
import type { GateCommandResult, TestCounts } from '../protocol/gate.js';
import type { AccountLine } from '../protocol/limits.js';
import type { IdeaStatus, ShownState } from '../protocol/states.js';
import type { RunStatus } from '../protocol/views.js';
import type { WarningLine } from '../protocol/warnings.js';

export interface GateRun {
  at: number;
  pass: boolean;
  /** The failed command. */
  command?: string;
  /** null: a stop ended it. */
  exitCode?: number | null;
  log?: string;
  tests?: TestCounts;
  durationMs: number;
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
  max?: number;
  startedAt: number;
  endedAt?: number;
  durationMs?: number;
  agent?: string;
  model?: string;
  signal?: AgentSignal;
  turnedDown?: string;
  outcome?: 'ok' | 'timeout' | 'failed' | 'interrupted';
  message?: string;
  commits?: number;
  tokensIn?: number;
  tokensOut?: number;
  dollars?: number;
  words?: string;
  gate?: GateRun;
}

/** An event of an idea between its iterations, for its timeline. */
export interface Moment {
  at: number;
  kind: 'limit' | 'agent' | 'said' | 'bounced' | 'escalated' | 'held' | 'step' | 'warning' | 'refused';
  text: string;
}

export interface Said {
  at: number;
  verb: string;
  text?: string;
  by?: Teller;
  /** The run's reply. */
  done?: string;
}

export interface StepPlace {
  number: number;
  of: number;
  id: string;
  phase?: string;
}

export interface IdeaModel {
  id: string;
  title: string;
  text?: string;
  parent?: string;
  group: boolean;
  children: string[];
  dependsOn: string[];
  tags: string[];
  status: IdeaStatus;
  /** Start of this status; absent until an event names the idea. */
  since?: number;
  /** Pending, but a person holds it back. */
  held: boolean;
  approval: boolean;
  /** Landed before this run began. */
  landedBefore: boolean;
  reason?: string;
  asking?: Asking;
  question?: string;
  startedAt?: number;
  /** 1-based number of its slot, while it has one. */
  slot?: number;
  /** Name of the slot, such as `ed-003`. */
  agentName?: string;
  agent?: string;
  model?: string;
  iterations: Iteration[];
  max?: number;
  step?: StepPlace;
  /** Lists of ids. */
  stepsSkipped: string[];
  stepsFailed: string[];
  /** Last PROGRESS of the agent, 0 to 100. */
  percent?: number;
  /** The last gate on its own branch, and the last one on the merged tree. */
  gate?: GateRun;
  mergedGate?: GateRun;
  /** The gate command that runs now. */
  gateNow?: { at: number; command: string; number: number; of: number; merged: boolean };
  commits: number;
  retries: number;
  bounces: number;
  base?: string;
  commit?: string;
  spent: Tally;
  moments: Moment[];
  said: Said[];
  /** A person's last command. */
  told?: { verb: string; reason?: string };
  warnings: WarningLine[];
  /** Commands from after the run, which the next start applies. Absent: none. */
  forNext?: KeptForNext;
  /** The reason for its wait for an agent: a limit, a login, a slot. */
  waits?: { kind: 'limit' | 'login' | 'slot'; text: string };
}

/** Commands that wait for the next start. */
export interface KeptForNext {
  /** A person asked for another attempt. */
  queued?: true;
  /** A person asked the next run to leave it out. */
  leftOut?: true;
  /** The commands in their command-line form, e.g. `limit b-2 +5`. */
  words: string[];
}

/** Sums over agent runs. `unknown…` counts runs that reported nothing. */
export interface Tally {
  iterations: number;
  ms: number;
  tokensIn: number;
  tokensOut: number;
  dollars: number;
  unknownTokens: number;
  unknownDollars: number;
}

export interface Counts {
  total: number;
  landed: number;
  /** First or later in the landing queue. */
  landing: number;
  working: number;
  needYou: number;
  /** Neither landed nor abandoned, and in no count above. */
  todo: number;
  skipped: number;
}

export interface RunModel {
  project: string;
  runId: string;
  /** Name of the repository's folder. */
  name: string;
  target: string;
  state: ShownState;
  why?: string;
  startedAt?: number;
  endedAt?: number;
  /** Start of this state. */
  since?: number;
  mode: RunMode;
  slots?: number;
  review: boolean;
  ideas: Map<string, IdeaModel>;
  /** Ids in backlog order. */
  order: string[];
  counts: Counts;
  /** Landing queue. The first one is the idea that lands, if any does. */
  queue: string[];
  landing?: string;
  accounts: Map<string, AccountLine>;
  /** Periods in which an account was closed, for the report. */
  limits: { key: string; agents: string[]; reason?: string; from: number; to?: number }[];
  warnings: WarningLine[];
  budget: BudgetLine[];
  spent: Tally;
  conflicts: number;
  /** Newest last, bounded. */
  log: StampedEvent[];
  /** Set by the full screen until it has read the events once, or the run has answered. */
  reading?: true;
  /** Number of folded events. */
  events: number;
  lastAt?: number;
  /** From the worker's last answer; absent while no worker answers. */
  live?: Pick<RunStatus, 'next' | 'possible' | 'resumesAt' | 'mode' | 'more'> & {
    at: number;
    scores?: Record<string, number>;
  };
  /** The worker's own counts, against the usage of this run and of the day. */
  reported?: Spent;
}
