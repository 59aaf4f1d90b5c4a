/**
 * A run as its two workflows store it: inputs, state that survives continue-as-new, messages and query answers.
 * Invariant: everything here is plain JSON and small. Fields are only ever added, never changed in meaning.
 * Must import types only.
 */
import type { LeftOpen, Reopen } from './activities.js';
import type { Feedback } from './agent-run.js';
import type { AlertOutbox } from './alerts.js';
import type { SentAnswer } from './answers.js';
import type { BudgetState, Spent } from './budget.js';
import type { LimitPatch, RunMode } from './command.js';
import type { DeliveryState } from './delivery.js';
import type { Green } from './git-work.js';
import type { IdeaCard } from './idea.js';
import type { IdeaCourse, SkipStep } from './idea-run.js';
import type { LimitState, TroubleKind } from './limits.js';
import type { ReviewState, StandsOn } from './review.js';
import type { RunRef } from './run-ref.js';
import type { RunSettings } from './run-settings.js';
import type { GitTask, IdeaStatus, IterationStats, ReadyWork, RunOutcome, RunState } from './states.js';
import type { ToldState, TrackedItem } from './tracker.js';
import type { RunStatus } from './views.js';
import type { Warning } from './warnings.js';
import type { WaveState } from './waves.js';

/** The status that a person wants for the idea once its workflow has ended. */
export interface Afterwards {
  do: 'hold' | 'skip' | 'abandon' | 'rollback' | 'split';
  reason?: string;
  /** Of `split`. */
  cards?: IdeaCard[];
}

export interface IdeaEntry {
  card: IdeaCard;
  status: IdeaStatus;
  /** Slot number, 1-based, while the idea holds one. */
  slot?: number;
  /** It keeps its number without a slot: its work is settled or its gate runs, or it waits for a slot after it. */
  beside?: true;
  /** Since when its work is settled for its gate, or its gate runs, epoch ms. */
  gating?: number;
  /** Last report from the child; older ones are duplicates. */
  seq: number;
  /**
   * The generation: how often a child was started for it. Negative while an adopted child has not reported. `life` is
   * the wire name.
   */
  life: number;
  retries: number;
  /** Landing rounds given back so far. */
  rounds: number;
  /** A landing of it met a conflict. */
  conflicted?: true;
  /** The commit of the target that its agent got with the last failed landing. */
  given?: string;
  /** Landings in a row that failed on another one. */
  moved?: number;
  /** It came back from a conflict in these files: what touches them lands after it, until then (epoch ms). */
  place?: { files: string[]; until: number };
  /** Its landing waits behind the place of this idea. */
  behind?: string;
  reason?: string;
  work?: ReadyWork;
  /** The failed landing, until the child takes it up. */
  bounce?: { reopen: Reopen; feedback: Feedback };
  iterations?: IterationStats;
  commit?: string;
  course?: IdeaCourse;
  /** The generation whose use is in the totals. */
  booked?: number;
  /** When it came to its status, epoch ms. */
  since?: number;
  /** Only the tick of its backlog says that it has landed: it counts in no number while it stands like that. */
  ticked?: true;
  /** Pending, but on hold until a person releases it. */
  hold?: true;
  /** The git task in progress; the idea does not start meanwhile. */
  busy?: GitTask;
  after?: Afterwards;
  /** Its next iteration waits for an approval; in the landing queue, its landing. */
  approval?: true;
  /** A person has approved its landing in answer to its gate. */
  mayLand?: true;
  /** An approval answers its question. */
  approvable?: true;
  /** It has a pause of its own coming. */
  pauseAsked?: true;
  /** Paused beside the slots and told to resume: it will ask for a slot, and comes before new ideas. */
  returns?: true;
  /** A person resumed it while the run is paused: it gets a slot all the same, until it or the run is paused anew. */
  alone?: true;
  /** Paused with finished work: it joins the landing queue once `pauseAsked` is gone. */
  donePaused?: true;
  /** A person's addition to its score: a first place and points. */
  boost?: number;
  /** Of the addition, the points. */
  points?: number;
  /** Answers that were sent to it and that it has neither taken nor refused. */
  answers?: SentAnswer[];
  /** For its first prompt. */
  notes?: string[];
  /** Edited limits, and the newest edit of its texts. */
  patch?: LimitPatch;
  revision?: number;
  /** For its next start. */
  skipStep?: SkipStep;
  /** Iterations charged so far; `keepCount`: where the next start continues the count. */
  used?: number;
  keepCount?: number;
  /** Slot it had last: names its worktree. */
  lastSlot?: number;
  /** Its git task is a person's rollback, not the begin of a retry. */
  reverting?: true;
  /** A rollback took its landing off the target in this run: it stays out until a retry. */
  takenOff?: true;
  /** An earlier run left it open, and it asks: an answer from between the runs is for that question. */
  leftAsking?: true;
  /** The last command of a person. */
  told?: { verb: string; reason?: string };
  /** The assigned agent, while it holds a slot; empty: release the slot. */
  agent?: string;
  /** Agents that made no progress with it, the latest last: the others go first. */
  passed?: string[];
  /** It was told to go first. */
  probe?: true;
  /**
   * Its agent's problems with it, from `since` to `at` (epoch ms); `own`: times in a row that are known to be the
   * idea's own.
   */
  trouble?: { kind: TroubleKind; own: number; since: number; at: number };
  /** Since when (epoch ms) it loses its worker again and again: it does not run beside another such idea. */
  suspect?: number;
  /** It gets no slot before this time, epoch ms. */
  notBefore?: number;
  /** Open ones. */
  warnings?: Warning[];
  /** Its pull request (`landing.mode: pr`). */
  review?: ReviewState;
  /** It started on top of this pull request (`landing.stack`), and the target does not have it yet. */
  below?: StandsOn;
  /** Its landing waits for the forge, and its gate was green. */
  green?: Green;
  /** A person started it again: it may get another pull request. */
  anew?: true;
}

export interface RunTotals {
  startedAt: number;
  landings: number;
  bounces: number;
  commits: number;
  /** Iterations of ended ideas. */
  iterations: IterationStats;
  /** Used by ended ideas, with or without a budget. */
  spent?: Spent;
}

export interface AutopilotState {
  run: RunState;
  /** Why the run is paused or stopping, in the words of the person or the rule. */
  why?: string;
  slots: number;
  entries: IdeaEntry[];
  /** Ideas in the landing queue, in order of arrival. `lane` is the wire name of the landing queue. */
  lane: string[];
  /** The landing idea. */
  landing?: string;
  /** Ideas that get the next free slots. */
  waiting: string[];
  failuresInARow: number;
  totals: RunTotals;
  queues: { agents: string; git: string };
  target: string;
  mode?: RunMode;
  /** Too many failures in a row: only a review resumes the run (A7). */
  review?: true;
  /** Semi-auto: ideas that get the next free slots. */
  assigned?: string[];
  /** Set by `abort`: workflows end at once, and changes are saved. */
  aborting?: true;
  /** Ids of the last commands, so that each counts once. */
  seen?: string[];
  /** Absent in runs of a version without account breakers. `gate` is the wire name of a breaker. */
  limits?: LimitState;
  /** Absent where neither the run nor the day has a budget. */
  budget?: BudgetState;
  /** Absent where nobody is alerted. */
  alerts?: AlertOutbox;
  /** Absent while the remote has everything, and in runs that do not push. */
  delivery?: DeliveryState;
  /** Pushes that have a result. */
  pushes?: number;
  /** The forge takes no pull requests: failed tries in a row, and the next one, epoch ms. */
  forge?: { tries: number; at: number };
  /** A person's merge or the like holds the target: looks in a row, since when, and the next one; epoch ms. */
  targetBusy?: { tries: number; since: number; at: number; why: string };
  /** What the tracker is told next, and what it was told last of each idea. Absent without a tracker. */
  tracked?: { items: TrackedItem[]; told: Record<string, ToldState> };
  /** Absent in a run without waves. */
  waves?: WaveState;
  /** Open ideas of an earlier run that this one has not taken over yet. Absent without any. */
  leftOpen?: LeftOpen[];
  /** Open ideas of an earlier run that this one does not work on (yet), while they hold a number. `beside`: at the gate. */
  strangers?: { idea: string; slot: number; beside?: true }[];
}

export interface AutopilotInput extends RunRef {
  settings: RunSettings;
  /** Set by continue-as-new. */
  state?: AutopilotState;
  /** Continue as new after this many events, for tests; otherwise when the server suggests it. */
  maxHistory?: number;
}

/** Ideas that have not landed in a summary: the result of a workflow must stay a small payload. As many: maybe more. */
export const MOST_NOT_LANDED = 1000;

export interface RunSummary {
  outcome: RunOutcome;
  landed: number;
  /** Of those, how many had landed before this run began. */
  landedBefore?: number;
  notLanded: { idea: string; status: IdeaStatus; reason?: string }[];
  status: RunStatus;
}
