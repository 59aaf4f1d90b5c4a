/**
 * Query answers and the summary of a run, for people.
 * Invariant: plain JSON, bounded whatever the size of the run. Must import types only.
 */

import type { AgentSignal } from './agent-run.js';
import type { BudgetLine, Spent } from './budget.js';
import type { RunMode } from './command.js';
import type { DeliveryLine } from './delivery.js';
import type { Asking } from './events.js';
import type { IdeaCourse, IdeaPhase } from './idea-run.js';
import type { AccountLine } from './limits.js';
import type { ChosenStatus, GitTask, IdeaStatus, IterationStats, StandingState } from './states.js';
import type { Warning, WarningLine } from './warnings.js';
import type { WavesLine } from './waves.js';

export interface IdeaLine {
  id: string;
  title: string;
  status: IdeaStatus;
  agentName?: string;
  /** Its agent has ended, and it has no slot: its work is settled or its gate runs, or it waits for a slot after it. */
  beside?: true;
  /** Since when its work is settled for its gate, or its gate runs, epoch ms. */
  gating?: number;
  reason?: string;
  /** A single attempt: more iterations do not help it. */
  single?: true;
  /** Pending, but on hold by a person. */
  held?: true;
  /** Its next iteration or its landing waits for an approval, or an approval answers its question. */
  approval?: true;
  busy?: GitTask;
  /** Its pull request is open, and people have it. */
  review?: { number: number; url: string };
  /** It is on top of this pull request. */
  below?: { idea: string; number: number };
  /** Of a Blue: how many of its children are done. */
  group?: { done: number; total: number };
  /** When it came to its status, epoch ms. */
  since?: number;
  /** As of its last report. */
  course?: IdeaCourse;
  /** Failed tries before this one. */
  retries?: number;
  /** Of a landed idea. */
  commit?: string;
  /** Reported iterations; those of a running workflow are in its own view. */
  iterations?: IterationStats;
  /** Commands that the run accepts for it now; of an idea that waits for a person or rests. */
  possible?: string[];
}

/** Answer of the `status` query, and what `closeRun` writes down. */
export interface RunStatus {
  project: string;
  runId: string;
  /** Revision of the configuration in force; absent: the first one. */
  config?: number;
  state: StandingState;
  /** When a run that waits for a person came to that, epoch ms. */
  since?: number;
  why?: string;
  target: string;
  slots: number;
  /** Absent in answers of older workers: autopilot. */
  mode?: RunMode;
  /** Only `review` resumes it (A7). */
  review?: true;
  /** The one command that resumes a paused run. Absent from older workers. */
  resume?: string;
  /** Commands that the run accepts now. */
  possible?: string[];
  counts: Record<IdeaStatus, number>;
  /** Of the landed ones, those from before this run. Absent from older workers. */
  landedBefore?: number;
  total: number;
  /** Ideas that hold a slot, want one, or are landing. Lists are cut, see `more`. */
  active: IdeaLine[];
  /** Ideas that wait for a person. Older workers list the held ones here, too. */
  attention: IdeaLine[];
  /** Ideas that a person put on hold. Absent: none. */
  held?: IdeaLine[];
  /**
   * Iterations and landings that wait for an approval, and running git tasks of a person. Absent from older workers.
   */
  approvals?: number;
  /** `errands` is the wire name of the git tasks. */
  errands?: number;
  /** The landing queue; `lane` is its wire name. */
  lane: string[];
  /** How many entries each list leaves out; the `ideas` query gives all, page by page. */
  more?: LeftOut;
  landing?: string;
  /** Ready to start, best first, at most ten. */
  next: string[];
  /** Of the ideas in `next`. Absent from older workers. */
  scores?: Record<string, number>;
  statistics: RunStatistics;
  /** Closed accounts. */
  accounts?: AccountLine[];
  /** Nothing runs because of limits; epoch ms when it resumes by itself. */
  resumesAt?: number;
  warnings?: WarningLine[];
  /** Of the run and the day. */
  budget?: BudgetLine[];
  /** By the reported agent runs, with or without a budget. Absent from older workers. */
  spent?: Spent;
  /** Landed work that the remote lacks; absent while it has everything. */
  delivery?: DeliveryLine;
  /** Absent in a run without waves. */
  waves?: WavesLine;
}

export interface LeftOut {
  active?: number;
  attention?: number;
  held?: number;
  lane?: number;
  warnings?: number;
}

/** Input of the `ideas` query: a page of all ideas in backlog order. */
export interface IdeaPageRequest {
  /** 0-based, among those chosen by `only`. */
  from?: number;
  /** At most 500, which is also the default. */
  count?: number;
  only?: ChosenStatus[];
}

export interface IdeaPage {
  from: number;
  /** All matches, on any page. */
  total: number;
  lines: IdeaLine[];
}

export interface RunStatistics {
  /** By the clock of the workflow, which stands still without events; clients correct it. */
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
  /** A single attempt: more iterations do not help it. Absent from older workers. */
  single?: true;
  activeMs: number;
  question?: string;
  /** Of the open question. */
  questionId?: string;
  /** The end of what its agent said before it asked. */
  said?: string;
  signal?: AgentSignal;
  /** 1-based. */
  step?: { number: number; of: number; id: string; phase: string; skipped: number };
  gate?: { pass: boolean; none?: true; command?: string };
  worktree?: string;
  commits: number;
  /** Hints and answers that wait for the next prompt, and their characters together. */
  notes?: number;
  notesSize?: number;
  /** All iterations of this generation of the idea, reported or not. */
  iterations?: IterationStats;
  /** Agent from the configuration, where it is not the idea's own. */
  agent?: string;
  /** Of its last agent run. */
  model?: string;
  asking?: Asking;
  /** Uses that agent's stronger model or effort. */
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
  /** Each with its status as text. */
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
  /** Its unfinished dependencies, as text. */
  waitsFor: string[];
  reason?: string;
  /** The open pull request that it is on top of, or can start on, as text; or why it cannot. */
  stack?: string;
  /** A person's last command, with the reason. */
  told?: { verb: string; reason?: string };
  held?: true;
  /** Its next iteration, or its landing, waits for an approval. */
  approval?: true;
  /** Absent for an idea that is not a Blue. */
  group?: GroupView;
  /** Why the run starts nothing, with the command that resumes it. */
  paused?: string;
  /** Its open warnings. */
  warnings?: Warning[];
  /** Commands that the idea accepts now. */
  possible?: string[];
}
