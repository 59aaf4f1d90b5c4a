/**
 * A run as its two workflows carry it: inputs, state that survives continue-as-new, messages and what queries return.
 * Invariant: everything here is plain JSON and small; fields are only ever added, never changed in meaning.
 * Must import types only.
 */
import type { Feedback, Reopen } from './activities.js';
import type { BudgetState } from './budget.js';
import type { LimitPatch, RunMode } from './command.js';
import type { IdeaCard } from './idea.js';
import type { SkipStep } from './idea-run.js';
import type { LimitState, TroubleKind } from './limits.js';
import type { RunRef } from './run-ref.js';
import type { RunSettings } from './run-settings.js';
import type { GitTask, IdeaStatus, IterationStats, ReadyWork, RunOutcome, RunState } from './states.js';
import type { RunStatus } from './views.js';
import type { Warning } from './warnings.js';

/** What becomes of an idea once its workflow has ended, because a person said so. */
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
  /** Last report taken from the child; older ones are duplicates. */
  seq: number;
  /** How often a child was started for it; negative while an adopted child has not reported. */
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
  busy?: GitTask;
  after?: Afterwards;
  /** Its next iteration waits for an approval; in the lane, its landing. */
  approval?: true;
  /** A person has let it land already, on being asked about its gate. */
  mayLand?: true;
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
  /** Trouble that its agent has with it, from `since` to `at` (epoch ms); `own`: times in a row that are known to be the idea's. */
  trouble?: { kind: TroubleKind; own: number; since: number; at: number };
  /** Since when (epoch ms) its worker is lost while it runs, again and again: it runs beside no other such idea. */
  suspect?: number;
  /** It gets no slot before, epoch ms. */
  notBefore?: number;
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
  outcome: RunOutcome;
  landed: number;
  /** Of those, how many had landed before this run began. */
  landedBefore?: number;
  notLanded: { idea: string; status: IdeaStatus; reason?: string }[];
  status: RunStatus;
}
