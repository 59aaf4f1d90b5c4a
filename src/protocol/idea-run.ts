/**
 * An idea as its workflow stores it, and the messages between it and the autopilot.
 * Invariant: plain JSON and small. Fields are only ever added, never changed in meaning. Must import types only.
 */
import type { IdeaLimits, PrepareResult, Reopen } from './activities.js';
import type { AgentSignal, Feedback, RunAgentResult } from './agent-run.js';
import type { Asked, TakenAnswer } from './answers.js';
import type { Amounts, BudgetReached, Ceilings, Spent } from './budget.js';
import type { LimitPatch } from './command.js';
import type { Asking } from './events.js';
import type { GateResult } from './gate.js';
import type { AgentChoice, Trouble } from './limits.js';
import type { RunRef } from './run-ref.js';
import type { RunSettings } from './run-settings.js';
import type { IdeaOutcome, IterationStats, ReadyWork } from './states.js';
import type { Stall, Warning, Watch } from './warnings.js';

export interface IdeaInput extends RunRef {
  idea: string;
  title: string;
  agentName: string;
  parent: string;
  /**
   * The generation: which start of this idea it is, so that the parent can tell old reports from new ones. `life` is
   * its wire name.
   */
  life: number;
  settings: RunSettings;
  queues: { agents: string; git: string };
  /** The agent to begin with. */
  choice?: AgentChoice;
  maxHistory?: number;
  /** The start state; `carry` is the wire name. */
  carry?: IdeaStartState;
  /** Absent where neither run nor day has a budget, and under a parent of 0.1. */
  ceilings?: Ceilings;
  /** Set by continue-as-new. */
  state?: IdeaRunState;
}

/** The start of an idea workflow, besides its backlog text. */
export interface IdeaStartState {
  notes?: string[];
  patch?: LimitPatch;
  revision?: number;
  /** Iterations that count as used. */
  iteration?: number;
  /** Every iteration waits for an approval. */
  step?: true;
  skipStep?: SkipStep;
  /** The commit to begin on: that of the pull request below it. Absent: the target. */
  on?: string;
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
  /** The next iteration is allowed whatever the limits: a person answered, or a landing bounced. */
  grace: boolean;
  prepared?: PrepareResult;
  limits?: IdeaLimits;
  reopen?: Reopen;
  feedback?: Feedback;
  notes: string[];
  /** How many of them ralphctl wrote. */
  ownNotes?: number;
  question?: string;
  /** Of the open question. Absent for one that an older version asked. */
  asked?: Asked;
  /** The answer to its last question. */
  answer?: TakenAnswer;
  lastSignal?: AgentSignal;
  lastGate?: GateResult;
  /** A recorded run whose gate is not decided yet. */
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
  /** Its rung of the escalation; absent: none. */
  stall?: Stall;
  /**
   * Uses the agent's stronger model or effort until it ends. false: it did, until that model hit its own limit; absent:
   * not yet.
   */
  stronger?: boolean;
  /** Keys of tripwires that a person has approved. */
  approved?: string[];
  /** It stops with its run: finished work still waits for its landing. */
  drain?: true;
  /** The reason, in the person's words. */
  stopReason?: string;
  patch?: LimitPatch;
  revision?: number;
  step?: boolean;
  /** Step mode: the next iteration may run. */
  mayRun?: boolean;
  /** The idea's place in its plan. */
  plan?: PlanPlace;
  /** The step, 0-based, whose start was told last. */
  stepBegun?: number;
  skipStep?: SkipStep;
  /** The agent to use next; absent: the one that the idea or the run names. */
  choice?: AgentChoice;
  /** Runs in a row that were ended from outside: their agent was killed, or their worker was lost. */
  cutOff?: number;
  /** Its worker was lost again and again: it must report the first run that works. */
  suspect?: true;
  /** The last run in which the agent worked, and its end. */
  worked?: Worked;
  /** Agent and account of the last run, and the end of what it said. */
  lastRun?: { agent?: string; account?: string; model?: string; words?: string };
  watch?: Watch;
  spent?: Spent;
  /** Added to the budget of the idea by a person. */
  raised?: Amounts;
  /** What the open question is about. `budget`: its answer is not for the agent. */
  asking?: Asking;
  ceilings?: Ceilings;
  /** Its item in the tracker is its own. */
  claimed?: true;
  /** Adopted by the autopilot of another run. */
  elsewhere?: true;
  /** It has given its slot back, or may have: the next iteration needs one again. */
  slotless?: true;
  /** Must release its slot between iterations: none of its agents can work now. */
  parked?: boolean;
}

/** How an iteration without progress ended, and how many in a row ended that way. */
export interface Cause {
  text: string;
  times: number;
}

/** A run in which the agent worked: its program starts, and its provider answers. */
export interface Worked {
  agent: string;
  /** When it ended, epoch ms. */
  at: number;
}

/** A person wants to skip a step. */
export interface SkipStep {
  /** 0-based; absent: the current one when the idea reads this. */
  step?: number;
  why?: string;
  /** Not a person: it failed, and failed ideas are skipped. */
  failed?: true;
}

/** The idea's place in its plan (B9). */
export interface PlanPlace {
  /** Current step, 0-based. */
  step: number;
  /** Iterations that the step has taken. */
  tries: number;
  skipped: number[];
}

/** How far an idea has come, told with each report. For views only. */
export interface IdeaCourse {
  /** Of its last PROGRESS; 100: its last COMPLETE, unless the gate was red after it. */
  percent?: number;
  /** When the run got the report, epoch ms. Set by the run. */
  at?: number;
  agent?: string;
  model?: string;
  /** Of its plan, 1-based. */
  step?: { number: number; of: number };
  /** What its question is about. */
  asking?: Asking;
  /** Id of its open question. */
  question?: string;
  /** The answer to its last question. */
  answer?: TakenAnswer;
  /** By all agent runs of this workflow. */
  spent?: Spent;
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
    /** Its agent run is over, and its gate begins. */
    | 'gating'
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
  /** With `closed`: hints and answers that no prompt had. */
  notes?: string[];
  /** With `needs-human`: an approval lands it. */
  approvable?: true;
  /** With `paused`: it needs no slot until it resumes, and asks for one then. */
  beside?: true;
  /** With `parked`: the run that could not work. */
  trouble?: Trouble;
  /** With `parked`: the agent made no progress, and another one continues. */
  passed?: string;
  /** With `parked`: the used-up budget of run or day. */
  reached?: BudgetReached;
  /** With `spent`: the use of the last agent run. */
  spent?: Spent;
  /** With `warnings`: all that are open now. */
  warnings?: Warning[];
  worked?: Worked;
  course?: IdeaCourse;
  /** With `parked`: runs in a row that were ended from outside together with their worker. */
  lost?: number;
}

/** Parent to child, about its landing. */
export type Verdict =
  | { kind: 'landed'; commit: string }
  | { kind: 'reopen'; agentName: string; reopen: Reopen; feedback: Feedback; choice?: AgentChoice }
  /** `lands`: its work is finished and unchanged, so the answer queues it to land again. */
  | { kind: 'ask'; question: string; lands?: true }
  /** The agent's problem is the idea's own, and its retries are used up. */
  | { kind: 'close'; outcome: 'failed' | 'skipped'; reason: string };

export interface IdeaResult {
  idea: string;
  outcome: IdeaOutcome;
  reason?: string;
  iterations: IterationStats;
}
