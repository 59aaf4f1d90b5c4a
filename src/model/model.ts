/**
 * A run as people see it: one object that `status`, `show`, the report and the full screen read.
 * Invariant: facts only, no words or colours of a view. An unreported fact is absent, never 0. Times are epoch ms. Must
 * import types only.
 */
import type { BudgetLine, Spent } from '../protocol/budget.js';
import type { RunMode } from '../protocol/command.js';
import type { Activity, Asking, StampedEvent } from '../protocol/events.js';
import type { SourceRef } from '../protocol/idea.js';
import type { AccountLine } from '../protocol/limits.js';
import type { IdeaStatus, ShownState } from '../protocol/states.js';
import type { RunStatus } from '../protocol/views.js';
import type { WarningLine } from '../protocol/warnings.js';
import type { WaveReading, WaveRejection, WaveSummary } from '../protocol/waves.js';
import type { GateRun, Iteration } from './iteration.js';
import type { Notice } from './notice.js';
import type { Said } from './said.js';
import type { Gone, KeptForNext, LineGone, Renamed } from './since.js';
import type { StartAgain } from './start-again.js';
import type { WorkerLoss } from './worker-losses.js';

export type { GateRun, Iteration } from './iteration.js';
export type { Said } from './said.js';
export type { Gone, KeptForNext, Renamed } from './since.js';

/** An event of an idea between its iterations, for its timeline. */
export interface Moment {
  at: number;
  kind:
    | 'limit'
    | 'agent'
    | 'said'
    | 'bounced'
    | 'escalated'
    | 'held'
    | 'step'
    | 'warning'
    | 'refused'
    | 'paused'
    | 'reverted';
  text: string;
  /** Of a pause: its end. */
  to?: number;
  /** Of a limit: the agent that cannot work. Of another agent: the one that it replaces. */
  before?: string;
  /** The agent that works from now on. */
  agent?: string;
  /** Of a warning. */
  warning?: WarningLine['kind'];
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
  /** Success criteria. Absent: none. */
  success?: string[];
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
  /** Landed before this run began, or was ticked. */
  landedBefore: boolean;
  /** The backlog had it ticked when this run began; it may have landed, too. */
  ticked?: true;
  /** The target did not have it then: while it is `landedBefore`, no number counts it. */
  onlyTicked?: true;
  /** Its last landing in this run, also after a rollback. */
  landedAs?: { commit: string; at: number };
  /** The last rollback that took it off the target during this run. Its gate was green there. The id is short. */
  takenOffAs?: { commit: string; at: number };
  reason?: string;
  /** A commit of a person took its work off the target during the run, or a part of it; then `reason` is this text. */
  reverted?: { text: string; part?: true };
  /** Its pull request is open, and people have it (`landing.mode: pr`). It is not in the landing queue then. */
  review?: { number: number; url: string };
  /** Its open pull request, whatever the idea does now. */
  pull?: { number: number; url: string };
  asking?: Asking;
  question?: string;
  /** Id of the open question. */
  questionId?: string;
  /** Id of its last question, open or not. */
  lastAsked?: string;
  /** Its question when the run was stopped; nobody has answered it (`left-asking.ts`). */
  left?: { question: string; questionId?: string; asking?: Asking; approval: boolean; since?: number };
  /** That question, once a person has answered it after the run. */
  answered?: NonNullable<IdeaModel['left']>;
  startedAt?: number;
  /** 1-based number of its slot, while it has one. */
  slot?: number;
  /** Its agent has ended, and its work is settled or its gate runs without a slot. */
  gating?: true;
  /** Name of the slot, such as `ed-003`. */
  agentName?: string;
  agent?: string;
  model?: string;
  iterations: Iteration[];
  max?: number;
  /** A single attempt: more iterations do not help it. */
  single?: true;
  /** It has a plan with steps. */
  plan?: true;
  /** Wall clock for the whole idea, in the last agent run that said it; ms. */
  limitMs?: number;
  step?: StepPlace;
  /** Lists of ids. */
  stepsSkipped: string[];
  stepsFailed: string[];
  /** Last PROGRESS of the agent, 0 to 100; 100 also after a COMPLETE that nothing has refuted. */
  percent?: number;
  /** Last PROGRESS below 100, for an idea that is not finished although its agent said so. */
  partly?: number;
  /** The last gate on its own branch, and the last one on the merged tree. */
  gate?: GateRun;
  mergedGate?: GateRun;
  /** The gate command that runs now. `began`: the first command of that gate. */
  gateNow?: { at: number; began: number; command: string; number: number; of: number; merged: boolean };
  /** What runs beside the agent and the commands of its own gate. */
  activity?: { at: number; activity: Activity; command?: string; number?: number; of?: number };
  commits: number;
  retries: number;
  bounces: number;
  base?: string;
  commit?: string;
  spent: Tally;
  moments: Moment[];
  said: Said[];
  /** A person asked for it, and its running step ends first. */
  restAsked?: 'pause' | 'stop';
  /** A person's last command. */
  told?: { verb: string; reason?: string };
  warnings: WarningLine[];
  /** When it last went back to the backlog after it had ended, by a retry or a rollback. */
  againAt?: number;
  /** Time of the newest message that was in a prompt, as its agent run said at its end. */
  givenTo?: number;
  /** Commands from after the run, which the next start applies. Absent: none. */
  forNext?: KeptForNext;
  /** After the run: the backlog does not have it any more, so no start runs it. */
  lineGone?: LineGone;
  /** The reason for its wait for an agent: a limit, a login, a slot. */
  waits?: { kind: 'limit' | 'login' | 'slot'; text: string };
  /** Why it waits with its slot before it tries again: the disk has no room, the worker was lost. */
  backsOff?: string;
  /** The run is open, it has not landed, and a person merged commits of it: the commit of the target. */
  merged?: string;
  /** It landed, and its work is no longer on the target. Its status is pending then. */
  off?: Gone;
  /** What its record says, where the target says something else (`stands.ts`). */
  recorded?: RecordedState;
  /** As it was when the run ended, once something has changed since (`at-end.ts`). */
  atEnd?: IdeaModel;
}

/** The part of an idea that the target may overrule. */
export type RecordedState = Pick<IdeaModel, 'status' | 'reason' | 'commit' | 'held' | 'approval' | 'reverted'>;

/** Sums over agent runs that have ended. `unknown…` counts runs that reported nothing. */
export interface Tally {
  /** Runs that cost an iteration. */
  iterations: number;
  /** All runs. Absent in files of older versions, whose `iterations` counts all. */
  runs?: number;
  ms: number;
  /** Of the runs that cost an iteration, where others did not. */
  iterationsMs?: number;
  tokensIn: number;
  tokensOut: number;
  dollars: number;
  unknownTokens: number;
  unknownDollars: number;
  /** Runs that could use nothing, such as those of a program that did not start. Absent: none. */
  unused?: number;
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
  takenOff: number;
}

export interface WaveModel {
  wave: number;
  of: number;
  startedAt?: number;
  endedAt?: number;
  /** Ids of its ideas. */
  taken: string[];
  rejected?: number;
  left?: number;
  /** An agent read reports for it. */
  read?: WaveReading;
  /** Of a wave that is over. */
  summary?: WaveSummary;
}

/** An idea that the next start takes. */
export interface NextIdea {
  title: string;
  /** It waits for this idea. */
  after?: string;
}

export interface RunModel {
  project: string;
  runId: string;
  /** Name of the repository's folder. */
  name: string;
  target: string;
  /** `terminated`: the server closed the run, and no event says so. */
  state: ShownState | 'terminated';
  why?: string;
  startedAt?: number;
  endedAt?: number;
  /** Start of this state. */
  since?: number;
  mode: RunMode;
  slots?: number;
  review: boolean;
  /** When a person approved all that waited, epoch ms. Absent: never. */
  approvals?: number[];
  ideas: Map<string, IdeaModel>;
  /** Ids in backlog order. */
  order: string[];
  /** Ideas that a person added to the open run, each with its place in its backlog. */
  added?: ReadonlyMap<string, SourceRef>;
  counts: Counts;
  /** Landing queue. The first one is the idea that lands, if any does. */
  queue: string[];
  landing?: string;
  accounts: Map<string, AccountLine>;
  /** Agents that ideas left, each with the one that last took its place. */
  replaced: Map<string, { agent: string; at: number }>;
  /** Periods in which an account was closed, for the report. */
  limits: { key: string; agents: string[]; reason?: string; from: number; to?: number }[];
  /** Periods in which the run was paused. */
  pauses: { from: number; to?: number; why?: string }[];
  warnings: WarningLine[];
  /** Ideas that an earlier run left open and that this one told to end. Absent: none. */
  endedHere?: { idea: string; why: string }[];
  /** Absent: none. */
  workerLosses?: WorkerLoss[];
  /** Of a screen; no event and no summary replaces them. */
  notices?: readonly Notice[];
  budget: BudgetLine[];
  spent: Tally;
  conflicts: number;
  /** By number; empty in a run without waves. */
  waves: Map<number, WaveModel>;
  /** Reports that triage rejected, by id: the newest verdict. */
  rejected: Map<string, WaveRejection>;
  /** Why no further wave begins. */
  wavesEnd?: string;
  /** Newest last, bounded. */
  log: StampedEvent[];
  /** Set by the full screen until it has read the events once, or the run has answered. */
  reading?: true;
  /** Number of folded events. */
  events: number;
  lastAt?: number;
  /** The command that starts such a run again; absent without files of the run. */
  startAgain?: StartAgain;
  renamed?: Renamed;
  /** After the run: the ids in the order in which the next start takes them, as far as it is known. */
  nextOrder?: readonly string[];
  /** After the run: those ideas, also the ones that came to the backlog since. Absent: what the backlog has is unknown. */
  nextIdeas?: ReadonlyMap<string, NextIdea>;
  /** From the worker's last answer; absent while no worker answers. */
  live?: Pick<RunStatus, 'state' | 'next' | 'possible' | 'resumesAt' | 'mode' | 'more'> & {
    at: number;
    scores?: Record<string, number>;
  };
  /** The worker's own counts, against the usage of this run and of the day. */
  reported?: Spent;
}
