/**
 * What queries answer, and what a run leaves behind of it, for people.
 * Invariant: plain JSON, bounded whatever the size of the run. Must import types only.
 */
import type { BudgetLine, Spent } from './budget.js';
import type { RunMode } from './command.js';
import type { IdeaPhase } from './idea-run.js';
import type { AccountLine } from './limits.js';
import type { AgentSignal } from './signal.js';
import type { GitTask, IdeaStatus, IterationStats, StandingState } from './states.js';
import type { Warning, WarningLine } from './warnings.js';

export interface IdeaLine {
  id: string;
  title: string;
  status: IdeaStatus;
  agentName?: string;
  reason?: string;
  /** Pending, but kept back by a person. */
  held?: true;
  /** Its next iteration, or its landing, waits for an approval. */
  approval?: true;
  busy?: GitTask;
  /** Of a Blue: how many of its children are done. */
  group?: { done: number; total: number };
  /** Iterations that its workflow has reported; those of a running one are in its own view. */
  iterations?: IterationStats;
}

/** Answer of the `status` query, and what `closeRun` writes down. */
export interface RunStatus {
  project: string;
  runId: string;
  /** Revision of the configuration that counts; absent: the one the run was started with. */
  config?: number;
  state: StandingState;
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
  /** Ideas that hold a slot, want one, or are landing. Lists are cut, see `more`. */
  active: IdeaLine[];
  /** Ideas that wait for a person. */
  attention: IdeaLine[];
  /** Next iterations and landings that wait for an approval, and git work under way that a person asked for. Absent from older workers. */
  approvals?: number;
  errands?: number;
  lane: string[];
  /** How many each list leaves out, where it does; the `ideas` query gives all, page by page. */
  more?: LeftOut;
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

export interface LeftOut {
  active?: number;
  attention?: number;
  lane?: number;
  warnings?: number;
}

/** What the `ideas` query is asked: a page of all ideas in backlog order. */
export interface IdeaPageRequest {
  /** 0-based, among those with a status in `only`. */
  from?: number;
  /** At most 500, which is also what is meant without one. */
  count?: number;
  only?: IdeaStatus[];
}

export interface IdeaPage {
  from: number;
  /** All that match, on whatever page. */
  total: number;
  lines: IdeaLine[];
}

export interface RunStatistics {
  /** By the clock of the workflow, which stands still while nothing happens. */
  runtimeMs: number;
  /** epoch ms; absent from older workers. */
  startedAt?: number;
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
  /** Hints and answers that wait for the next prompt, and their characters together. */
  notes?: number;
  notesSize?: number;
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

/** Of a Blue: its children. Lists are cut. */
export interface GroupView {
  done: number;
  total: number;
  landed: string[];
  /** Each with its status in words. */
  open: string[];
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
  /** Absent for an idea that is no Blue. */
  group?: GroupView;
  /** What can be told to it now. */
  possible?: string[];
}
