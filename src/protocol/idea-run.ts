/**
 * An idea as its workflow carries it, and what it and the autopilot tell each other.
 * Invariant: plain JSON and small; fields are only ever added, never changed in meaning. Must import types only.
 */
import type { Feedback, IdeaLimits, PrepareResult, Reopen, RunAgentResult } from './activities.js';
import type { Amounts, BudgetReached, Ceilings, Spent } from './budget.js';
import type { LimitPatch } from './command.js';
import type { Stall } from './escalation.js';
import type { GateResult } from './gate.js';
import type { AgentChoice, Trouble } from './limits.js';
import type { RunRef } from './run-ref.js';
import type { RunSettings } from './run-settings.js';
import type { AgentSignal } from './signal.js';
import type { IdeaOutcome, IterationStats, ReadyWork } from './states.js';
import type { Warning, Watch } from './warnings.js';

export interface IdeaInput extends RunRef {
  idea: string;
  title: string;
  agentName: string;
  parent: string;
  /** Which start of this idea it is, so that the parent can tell old reports from new ones. */
  life: number;
  settings: RunSettings;
  queues: { agents: string; git: string };
  /** The agent to begin with. */
  choice?: AgentChoice;
  maxHistory?: number;
  /** What people said before it started. */
  carry?: IdeaCarry;
  /** Absent where neither run nor day has a budget, and under a parent of 0.1. */
  ceilings?: Ceilings;
  /** Set by continue-as-new. */
  state?: IdeaRunState;
}

/** What an idea workflow begins with, beside its backlog text. */
export interface IdeaCarry {
  notes?: string[];
  patch?: LimitPatch;
  revision?: number;
  /** Iterations that count as used. */
  iteration?: number;
  /** Every iteration waits for an approval. */
  step?: true;
  skipStep?: SkipStep;
}

export type IdeaPhase =
  | 'preparing'
  | 'agent'
  | 'gate'
  | 'backing-off'
  | 'paused'
  | 'approval'
  | 'needs-human'
  | 'waiting-slot'
  | 'landing'
  | 'closed';

export interface IdeaRunState {
  phase: IdeaPhase;
  agentName: string;
  /** Iterations charged against the limit. */
  iteration: number;
  /** Agent runs of this workflow, charged or not. */
  serial: number;
  activeMs: number;
  /** The next iteration is allowed whatever the limits say: a person answered, or a landing bounced. */
  grace: boolean;
  prepared?: PrepareResult;
  limits?: IdeaLimits;
  reopen?: Reopen;
  feedback?: Feedback;
  notes: string[];
  question?: string;
  lastSignal?: AgentSignal;
  lastGate?: GateResult;
  /** A run that is accounted for and whose gate has not been decided yet. */
  ungated?: RunAgentResult;
  /** How its last iterations ended. */
  cause?: Cause;
  head?: string;
  commits: number;
  /** Consecutive runs that failed, and that were limited. */
  failures: number;
  limited: number;
  /** Reports sent to the parent. */
  seq: number;
  stats: IterationStats;
  paused: boolean;
  stopping: boolean;
  /** Where on the ladder it stands; absent: on the ground. */
  stall?: Stall;
  /**
   * It works with the agent's stronger model or effort, until it is over; false: it did, until that was at a limit of its
   * own; absent: not yet.
   */
  stronger?: boolean;
  /** Keys of tripwires that a person has looked at and let pass. */
  approved?: string[];
  /** It stops with its run: finished work still waits for its landing. */
  drain?: true;
  /** Why, as the person who said so put it. */
  stopReason?: string;
  patch?: LimitPatch;
  revision?: number;
  step?: boolean;
  /** Step mode: the next iteration may run. */
  mayRun?: boolean;
  /** Where the idea is in its plan. */
  plan?: PlanPlace;
  skipStep?: SkipStep;
  /** The agent to use next; absent: the one that the idea or the run names. */
  choice?: AgentChoice;
  /** Runs in a row that were cut off: their agent was killed from outside, or their worker went away. */
  cutOff?: number;
  /** Its worker went away again and again: it is to say so when a run has worked. */
  suspect?: true;
  /** The last run in which the agent got to work, and when it ended. */
  worked?: Worked;
  /** Who ran last. */
  lastRun?: { agent?: string; account?: string };
  watch?: Watch;
  spent?: Spent;
  /** Added to the budget of the idea by a person. */
  raised?: Amounts;
  /** The open question is about the budget: its answer is not for the agent. */
  asking?: 'budget';
  ceilings?: Ceilings;
  /** Taken over by the autopilot of another run. */
  elsewhere?: true;
  /** Told to give its slot back at the boundary: none of its agents can work now. */
  parked?: boolean;
}

/** How an iteration ended that got nowhere, and how many in a row ended like that. */
export interface Cause {
  text: string;
  times: number;
}

/** A run in which the agent got to work: its program starts, and its provider answers. */
export interface Worked {
  agent: string;
  /** When it ended, epoch ms. */
  at: number;
}

/** A person wants a step left out. */
export interface SkipStep {
  /** 0-based; absent: the one that the idea is at when it reads this. */
  step?: number;
  why?: string;
  /** Not a person: it failed, and failed ones are skipped. */
  failed?: true;
}

/** Where an idea is in its plan (B9). */
export interface PlanPlace {
  /** Current step, 0-based. */
  step: number;
  /** Iterations that it has taken. */
  tries: number;
  skipped: number[];
}

/** Child to parent. */
export interface IdeaReport {
  idea: string;
  life: number;
  seq: number;
  kind:
    | 'ready'
    | 'needs-human'
    | 'wants-slot'
    | 'paused'
    | 'approval'
    | 'resumed'
    | 'closed'
    | 'parked'
    | 'probing'
    | 'recovered'
    | 'spent'
    | 'warnings';
  work?: ReadyWork;
  reason?: string;
  outcome?: IdeaOutcome;
  iterations: IterationStats;
  /** With `needs-human`: a plain yes lands it. */
  approvable?: true;
  /** With `parked`: the run that could not work. */
  trouble?: Trouble;
  /** With `parked`: the agent got nowhere, and another one is to go on. */
  passed?: string;
  /** With `parked`: the budget of run or day that its last run met. */
  reached?: BudgetReached;
  /** With `spent`: what the last agent run used. */
  spent?: Spent;
  /** With `warnings`: all that are open now. */
  warnings?: Warning[];
  worked?: Worked;
  /** With `parked`: runs in a row that were cut off, their worker with them. */
  lost?: number;
}

/** Parent to child, about its landing. */
export type Verdict =
  | { kind: 'landed'; commit: string }
  | { kind: 'reopen'; agentName: string; reopen: Reopen; feedback: Feedback; choice?: AgentChoice }
  | { kind: 'ask'; question: string }
  /** Its agent's trouble is the idea's own, and its tries are used up. */
  | { kind: 'close'; outcome: 'failed' | 'skipped'; reason: string };

export interface IdeaResult {
  idea: string;
  outcome: IdeaOutcome;
  reason?: string;
  iterations: IterationStats;
}
