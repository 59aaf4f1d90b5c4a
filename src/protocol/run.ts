/**
 * A run as its two workflows carry it: inputs, state that survives continue-as-new, messages and what queries return.
 * Invariant: everything here is plain JSON and small; fields are only ever added, never changed in meaning.
 * Must import types only.
 */
import type { Feedback, GateResult, IdeaLimits, PrepareResult, Reopen, RunAgentResult, RunRef } from './activities.js';
import type { Amounts, BudgetLine, BudgetSettings, BudgetState, Spent } from './budget.js';
import type { LimitPatch, RunMode } from './command.js';
import type { Ladder, Stall } from './escalation.js';
import type { IdeaCard } from './idea.js';
import type { AccountLine, AgentChoice, LimitState, Trouble } from './limits.js';
import type { AgentSignal } from './signal.js';
import type { Warning, WarningLine, WarningSettings, Watch } from './warnings.js';

export interface Weights {
  unblocks: number;
  critical: number;
  quickWin: number;
  nearComplete: number;
  retry: number;
}

/** The numbers that deciding needs, pinned when the run starts. */
export interface RunSettings {
  slots: number;
  stepDelayMs: number;
  weights: Weights;
  gateWhen: 'claim' | 'always';
  /** Landings given back to the agent before a person is asked. */
  maxLandingRounds: number;
  /** New ideas wait while this many stand in the landing lane; 0: twice the slots. Absent in runs of 0.1: none wait. */
  maxWaiting?: number;
  /** Consecutive failed ideas that pause the run (A7). */
  errorThreshold: number;
  errorStrategy: 'retry' | 'skip' | 'abort';
  maxRetries: number;
  retryBaseMs: number;
  maxRateLimitRetries: number;
  rateLimitBackoffMs: number;
  rateLimitFactor: number;
  /** Absent in runs of a version that had none. */
  ladder?: Ladder;
  /** How the run begins (A6); `autopilot` when absent. */
  mode?: RunMode;
  /** Go back to an idea's first agent as soon as its gate is open; absent: yes. */
  recoverPrimary?: boolean;
  /** Absent: none. */
  budget?: BudgetSettings;
  warnings?: WarningSettings;
}

/** `idle`: not opened yet. `waiting_user`: semi-auto, ideas start when they are assigned. */
export type RunState = 'idle' | 'running' | 'pausing' | 'paused' | 'waiting_user' | 'stopping' | 'completed';

/** What the parent knows of an idea. */
export type IdeaStatus =
  | 'pending'
  | 'running'
  | 'paused'
  | 'needs-human'
  /** Answered or bounced from landing: wants a slot again, before any new idea gets one. */
  | 'wants-slot'
  /** Gate green; queued to land, or landing. */
  | 'landing'
  | 'landed'
  | 'blocked'
  | 'timeout'
  | 'failed'
  /** Not in this run, a person said. */
  | 'skipped'
  /** Given up by a person. */
  | 'abandoned';

/** How an idea workflow can end. `stopped` puts the idea back to pending. */
export type IdeaOutcome = 'landed' | 'blocked' | 'timeout' | 'failed' | 'stopped';

export interface IterationStats {
  count: number;
  totalMs: number;
  minMs: number;
  maxMs: number;
}

/** What landing needs to know of a finished idea. */
export interface ReadyWork {
  worktree: string;
  branch: string;
  base: string;
  head: string;
  agentName: string;
}

/** What becomes of an idea once its workflow has ended, because a person said so. */
export interface Afterwards {
  do: 'hold' | 'skip' | 'abandon' | 'rollback' | 'split';
  reason?: string;
  /** Of `split`. */
  cards?: IdeaCard[];
}

/** Work on an idea's commits or worktree that a person asked for. */
export type GitErrand = 'rollback' | 'cleanup' | 'stash' | 'undo';

export interface IdeaEntry {
  card: IdeaCard;
  status: IdeaStatus;
  /** Slot number, 1-based, while the idea holds one. */
  slot?: number;
  /** Last report taken from the child; older ones are duplicates. */
  seq: number;
  /** How often a child was started for it; -1 while an adopted child has not reported. */
  life: number;
  retries: number;
  /** Landing rounds given back so far. */
  rounds: number;
  reason?: string;
  work?: ReadyWork;
  /** The landing that did not go through, until the child takes it up. */
  bounce?: { reopen: Reopen; feedback: Feedback };
  iterations?: IterationStats;
  commit?: string;
  /** Pending, but kept back until a person lets it go. */
  hold?: true;
  /** Under way; the idea does not start meanwhile. */
  busy?: GitErrand;
  after?: Afterwards;
  /** Its next iteration waits for an approval. */
  approval?: true;
  /** Its question is one that `approve` answers. */
  approvable?: true;
  /** It was told to pause by itself and is not there yet. */
  pauseAsked?: true;
  /** Added to its score by a person. */
  boost?: number;
  /** For its first prompt. */
  notes?: string[];
  /** Edited limits, and the newest edit of its texts. */
  patch?: LimitPatch;
  revision?: number;
  /** For its next start. */
  skipStep?: SkipStep;
  /** Iterations charged so far; `keepCount`: where the next start goes on counting. */
  used?: number;
  keepCount?: number;
  /** Slot it had last: names its worktree. */
  lastSlot?: number;
  /** What a person told it last. */
  told?: { verb: string; reason?: string };
  /** The agent it was told to use, while it holds a slot; empty: to give its slot back. */
  agent?: string;
  /** Agents that got nowhere with it, the latest last: the others go first. */
  passed?: string[];
  /** It was told that it goes first. */
  probe?: true;
  /** Open ones. */
  warnings?: Warning[];
}

export interface RunTotals {
  startedAt: number;
  landings: number;
  bounces: number;
  commits: number;
  /** Iterations of ideas that are over. */
  iterations: IterationStats;
}

export interface AutopilotState {
  run: RunState;
  /** Why the run is paused or stopping, as the person who asked (or the rule that fired) said it. */
  why?: string;
  slots: number;
  entries: IdeaEntry[];
  /** Ideas waiting to land, first come first served. */
  lane: string[];
  /** The idea that is landing now. */
  landing?: string;
  /** Ideas that get the next free slots. */
  waiting: string[];
  failuresInARow: number;
  totals: RunTotals;
  queues: { agents: string; git: string };
  target: string;
  mode?: RunMode;
  /** Too many failures in a row: only a review goes on (A7). */
  review?: true;
  /** Semi-auto: ideas that get the next free slots. */
  assigned?: string[];
  /** Set by `abort`: workflows are ended at once, and changes stashed. */
  aborting?: true;
  /** Ids of the last commands, so that one counts once. */
  seen?: string[];
  /** Absent in runs of a version that knew no account gate. */
  limits?: LimitState;
  /** Absent where neither the run nor the day has a budget. */
  budget?: BudgetState;
}

export interface AutopilotInput extends RunRef {
  settings: RunSettings;
  /** Set by continue-as-new. */
  state?: AutopilotState;
  /** Continue as new after this many events, for tests; otherwise when the server suggests it. */
  maxHistory?: number;
}

export interface RunSummary {
  outcome: 'completed' | 'stopped';
  landed: number;
  /** Of those, how many had landed before this run began. */
  landedBefore?: number;
  notLanded: { idea: string; status: IdeaStatus; reason?: string }[];
  status: RunStatus;
}

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
  /** Who ran last. */
  lastRun?: { agent?: string; account?: string };
  watch?: Watch;
  spent?: Spent;
  /** Added to the budget of the idea by a person. */
  raised?: Amounts;
  /** The open question is about the budget: its answer is not for the agent. */
  asking?: 'budget';
  /** Told to give its slot back at the boundary: none of its agents can work now. */
  parked?: boolean;
}

/** A person wants a step left out. */
export interface SkipStep {
  /** 0-based; absent: the one that the idea is at when it reads this. */
  step?: number;
  why?: string;
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
  /** With `spent`: what the last agent run used. */
  spent?: Spent;
  /** With `warnings`: all that are open now. */
  warnings?: Warning[];
}

/** Parent to child, about its landing. */
export type Verdict =
  | { kind: 'landed'; commit: string }
  | { kind: 'reopen'; agentName: string; reopen: Reopen; feedback: Feedback; choice?: AgentChoice }
  | { kind: 'ask'; question: string };

export interface IdeaResult {
  idea: string;
  outcome: IdeaOutcome;
  reason?: string;
  iterations: IterationStats;
}

export interface IdeaLine {
  id: string;
  title: string;
  status: IdeaStatus;
  agentName?: string;
  reason?: string;
  /** Pending, but kept back by a person. */
  held?: true;
  /** Its next iteration waits for an approval. */
  approval?: true;
  busy?: GitErrand;
  /** Iterations that its workflow has reported; those of a running one are in its own view. */
  iterations?: IterationStats;
}

/** Answer of the `status` query, and what `closeRun` writes down. */
export interface RunStatus {
  project: string;
  runId: string;
  state: RunState;
  why?: string;
  target: string;
  slots: number;
  /** Absent in answers of older workers: autopilot. */
  mode?: RunMode;
  /** Only `review` goes on (A7). */
  review?: true;
  /** Commands that would be taken now. */
  possible?: string[];
  counts: Record<IdeaStatus, number>;
  total: number;
  /** Ideas that hold a slot, want one, or are landing. */
  active: IdeaLine[];
  /** Ideas that wait for a person. */
  attention: IdeaLine[];
  lane: string[];
  landing?: string;
  /** Ready to start, best first, at most ten. */
  next: string[];
  statistics: RunStatistics;
  /** Accounts that are not simply open. */
  accounts?: AccountLine[];
  /** Nothing runs because of limits; epoch ms when it goes on by itself. */
  resumesAt?: number;
  warnings?: WarningLine[];
  /** Of the run and the day. */
  budget?: BudgetLine[];
}

export interface RunStatistics {
  runtimeMs: number;
  landed: number;
  failed: number;
  remaining: number;
  iterations: { total: number; averageMs: number; fastestMs: number; slowestMs: number };
  merges: { landed: number; conflictsResolved: number; pending: number };
}

/** Answer of the idea's own query. */
export interface IdeaView {
  idea: string;
  title: string;
  phase: IdeaPhase;
  agentName: string;
  iteration: number;
  maxIterations?: number;
  activeMs: number;
  question?: string;
  signal?: AgentSignal;
  /** 1-based. */
  step?: { number: number; of: number; id: string; phase: string; skipped: number };
  gate?: { pass: boolean; command?: string };
  worktree?: string;
  commits: number;
  /** Hints and answers that wait for the next prompt. */
  notes?: number;
  /** All iterations of this life of the idea, reported or not. */
  iterations?: IterationStats;
  /** Agent from the configuration, where it is not simply the idea's own. */
  agent?: string;
  /** Works with that agent's stronger model or effort. */
  stronger?: true;
  warnings?: Warning[];
  /** Of this idea. */
  budget?: BudgetLine[];
  spent?: Spent;
}

export interface ScorePart {
  label: string;
  value: number;
}
/** Answer of the `why` query. */
export interface WhyView {
  idea: string;
  title: string;
  status: IdeaStatus;
  score: number;
  parts: ScorePart[];
  /** Place in the ready pool, 1-based; absent when it is not ready. */
  rank?: number;
  /** What it still waits for, in words. */
  waitsFor: string[];
  reason?: string;
  /** What a person told it last, with the reason given. */
  told?: { verb: string; reason?: string };
  held?: true;
  /** What can be told to it now. */
  possible?: string[];
}
