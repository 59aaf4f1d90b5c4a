/**
 * A run as its two workflows carry it: inputs, state that survives continue-as-new, messages and what queries return.
 * Invariant: everything here is plain JSON and small; fields are only ever added, never changed in meaning.
 * Must import types only.
 */
import type { Feedback, GateResult, IdeaLimits, PrepareResult, Reopen, RunAgentResult, RunRef } from './activities.js';
import type { IdeaCard } from './idea.js';
import type { AgentSignal } from './signal.js';

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
  /** Consecutive failed ideas that pause the run (A7). */
  errorThreshold: number;
  errorStrategy: 'retry' | 'skip' | 'abort';
  maxRetries: number;
  retryBaseMs: number;
  maxRateLimitRetries: number;
  rateLimitBackoffMs: number;
  rateLimitFactor: number;
}

export type RunState = 'running' | 'pausing' | 'paused' | 'stopping' | 'completed';

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
  | 'failed';

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
  maxHistory?: number;
  /** Set by continue-as-new. */
  state?: IdeaRunState;
}

export type IdeaPhase =
  | 'preparing'
  | 'agent'
  | 'gate'
  | 'backing-off'
  | 'paused'
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
  /** Keys of tripwires that a person has looked at and let pass. */
  approved?: string[];
}

/** Child to parent. */
export interface IdeaReport {
  idea: string;
  life: number;
  seq: number;
  kind: 'ready' | 'needs-human' | 'wants-slot' | 'paused' | 'resumed' | 'closed';
  work?: ReadyWork;
  reason?: string;
  outcome?: IdeaOutcome;
  iterations: IterationStats;
}

/** Parent to child, about its landing. */
export type Verdict =
  | { kind: 'landed'; commit: string }
  | { kind: 'reopen'; agentName: string; reopen: Reopen; feedback: Feedback }
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
}

/** Answer of the `status` query, and what `closeRun` writes down. */
export interface RunStatus {
  project: string;
  runId: string;
  state: RunState;
  why?: string;
  target: string;
  slots: number;
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
  gate?: { pass: boolean; command?: string };
  worktree?: string;
  commits: number;
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
}
