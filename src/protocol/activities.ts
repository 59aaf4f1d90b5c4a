/**
 * The activities as the workflows see them: inputs, results, task queues.
 * Invariant: results carry references, counts and short tails (at most {@link TAIL_LIMIT} characters), never output.
 * Must import types only.
 */

import type { RunAgentInput, RunAgentResult } from './agent-run.js';
import type { DeliverInput, DeliverResult } from './alerts.js';
import type { DayTotal } from './budget.js';
import type { PushTargetInput, PushTargetResult } from './delivery.js';
import type { GateInput, GateResult } from './gate.js';
import type {
  CleanupInput,
  CleanupResult,
  IdeaGitInput,
  LandInput,
  LandResult,
  RollbackInput,
  RollbackResult,
  StashResult,
  UndoInput,
  UndoResult,
} from './git-work.js';
import type { IdeaCard, PlanPosition, PlanShape } from './idea.js';
import type { AgentsInfo } from './limits.js';
import type { LookInput, LookResult } from './review.js';
import type { RunRef } from './run-ref.js';
import type { RunSettings } from './run-settings.js';
import type { ClaimInput, TellTrackerInput, TrackerAnswer } from './tracker.js';
import type { PlanWaveInput, PlanWaveResult } from './waves.js';

export interface RunConfigInput extends RunRef {
  config: number;
  /** Open ideas, whose limits follow the configuration. */
  ideas: string[];
}

/** The part of a configuration revision that deciding needs. */
export interface RunConfigResult {
  settings: RunSettings;
  agents: AgentsInfo;
  /** By idea. */
  limits: Record<string, IdeaLimits>;
  /** The amount used today, where it is limited. */
  day?: DayTotal;
}

export interface OpenRunResult {
  /** Host queues that serve this run from now on. */
  agentsQueue: string;
  gitQueue: string;
  target: string;
  cards: IdeaCard[];
  /** Ids that the source marks done or that the target already contains. */
  landed: string[];
  /** Of these, the ones that are only ticked: the target does not have them. Absent: none, or unknown to older workers. */
  ticked?: string[];
  agents?: AgentsInfo;
  /** The amount used today, where it is limited. */
  day?: DayTotal;
  /** With `landing.mode: push`: the target has landed work that the remote may lack. */
  unpushed?: true;
  /** Ideas that a person abandoned in an earlier run, and hints that no prompt has contained yet. */
  carried?: CarriedOver;
  /** Absent where there are none. */
  leftOpen?: LeftOpen[];
}

/** An idea whose workflow outlived its autopilot: somebody terminated that. */
export interface LeftOpen {
  idea: string;
  /** The name with the number under which it works; absent where it holds no slot or does not say. */
  agentName?: string;
  /** Absent: its agent is at work, it waits, or it does not say. rests: it is paused, or waits for an approval. */
  state?: 'asks' | 'rests' | 'gate';
}

/** Data that outlasts a run. */
export interface CarriedOver {
  abandoned: { idea: string; reason?: string }[];
  hints: { idea: string; notes: string[] }[];
  /** How often an idea that has not landed was tried again: it keeps its score (A2). Absent in runs of 0.1. */
  retries?: { idea: string; count: number }[];
  /**
   * Commands that people gave while no run was open; at the end of a run, its rollbacks and what runs anew. Absent where
   * there are none.
   */
  kept?: KeptCommand[];
}

/** A command about an idea that the next run carries out at its start. */
export interface KeptCommand {
  idea: string;
  /**
   * `rollback`: it was taken off the target and stays out until a `retry`. `closed`: somebody closed its pull request, and
   * it stays out, too. `anew`: after that a person wants it again, so another pull request may follow.
   */
  verb: 'retry' | 'unblock' | 'limit' | 'skip' | 'skip-step' | 'bump' | 'score' | 'rollback' | 'closed' | 'anew';
  /** Of `limit` and `score`. */
  n?: number;
  reason?: string;
}

export interface IdeaLimits {
  maxIterations: number;
  timeoutMs: number;
  iterationTimeoutMs: number;
  /** false: a single attempt (B10). */
  loop: boolean;
  allowEmpty: boolean;
  /** Runs of an idea that does not loop; absent: one. A plan has one for each step. */
  attempts?: number;
}

/** A failed landing, and the feedback with which the agent fixes it. */
export type Reopen =
  | { kind: 'conflict'; onto: string; files: string[]; after?: string }
  | { kind: 'red'; onto: string; candidate: string };

export interface PrepareInput extends RunRef {
  idea: string;
  /** Slot name, e.g. `ed-001`. */
  agentName: string;
  reopen?: Reopen;
  /** Commit to begin on, where the idea has no branch yet. Absent: the target. */
  on?: string;
  /** Where its worktree was, for when it must be recreated. */
  at?: string;
}

export interface PrepareResult {
  worktree: string;
  branch: string;
  /** Commit the idea branches from. */
  base: string;
  /** Number of the idea's last agent run in this run's files; a restarted workflow continues the count. */
  lastSerial?: number;
  /** How the worktree was set up. */
  origin: 'created' | 'recycled' | 'adopted';
  /** What was in the place of its worktree, and was none, is kept here. */
  aside?: string;
  limits: IdeaLimits;
  /** The steps, when the idea has a plan (B9). */
  plan?: PlanShape;
  /** Where an earlier workflow left the plan; absent: its first step. */
  place?: PlanPosition;
}

export interface ReconcileInput extends RunRef {
  ideas: string[];
}

/** The server's state of idea workflows that the parent lost track of. */
export interface ReconcileResult {
  idea: string;
  state: 'open' | 'closed' | 'missing';
  result?: unknown;
}

export interface CloseRunInput extends RunRef {
  outcome: string;
  summary: unknown;
  /** Absent in runs of 0.1, which leave nothing to the next run. */
  carried?: CarriedOver;
}

/** Served by the main queue. */
export interface MainActivities {
  openRun(input: RunRef): Promise<OpenRunResult>;
  runConfig(input: RunConfigInput): Promise<RunConfigResult>;
  reconcileIdeas(input: ReconcileInput): Promise<ReconcileResult[]>;
  closeRun(input: CloseRunInput): Promise<void>;
  deliverAlert(input: DeliverInput): Promise<DeliverResult>;
  claimItem(input: ClaimInput): Promise<TrackerAnswer>;
  tellTracker(input: TellTrackerInput): Promise<TrackerAnswer>;
  planWave(input: PlanWaveInput): Promise<PlanWaveResult>;
}

/** Served by the git queue of one host. */
export interface GitActivities {
  prepareIdea(input: PrepareInput): Promise<PrepareResult>;
  runGate(input: GateInput): Promise<GateResult>;
  landIdea(input: LandInput): Promise<LandResult>;
  rollbackIdea(input: RollbackInput): Promise<RollbackResult>;
  stashIdea(input: IdeaGitInput): Promise<StashResult>;
  undoIdea(input: UndoInput): Promise<UndoResult>;
  cleanupIdea(input: CleanupInput): Promise<CleanupResult>;
  pushTarget(input: PushTargetInput): Promise<PushTargetResult>;
  lookAtPull(input: LookInput): Promise<LookResult>;
}

/** Served by the agents queue of one host. */
export interface AgentActivities {
  runAgent(input: RunAgentInput): Promise<RunAgentResult>;
}
