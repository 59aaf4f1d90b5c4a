/**
 * The activities as the workflows see them: inputs, results, task queues.
 * Invariant: results carry references, counts and short tails (at most {@link TAIL_LIMIT} characters), never output.
 * Must import types only.
 */
import type { DeliverInput, DeliverResult } from './alerts.js';
import type { BudgetReached, Ceilings, DayTotal } from './budget.js';
import type { FailureKind, LimitScope } from './failures.js';
import type { GateInput, GateResult } from './gate.js';
import type { CleanupInput, CleanupResult, IdeaGitInput, LandInput, LandResult, RollbackInput, RollbackResult, StashResult, UndoInput, UndoResult } from './git-work.js';
import type { IdeaCard, PlanPosition, PlanShape } from './idea.js';
import type { AgentsInfo } from './limits.js';
import type { RunRef } from './run-ref.js';
import type { RunSettings } from './run-settings.js';
import type { AgentSignal } from './signal.js';

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
  agents?: AgentsInfo;
  /** The amount used today, where it is limited. */
  day?: DayTotal;
  /** Ideas that a person abandoned in an earlier run, and hints that no prompt has contained yet. */
  carried?: CarriedOver;
}

/** Data that outlasts a run. */
export interface CarriedOver {
  abandoned: { idea: string; reason?: string }[];
  hints: { idea: string; notes: string[] }[];
  /** How often an idea that has not landed was tried again: it keeps its score (A2). Absent in runs of 0.1. */
  retries?: { idea: string; count: number }[];
  /** Commands that people gave while no run was open. Absent where there are none. */
  kept?: KeptCommand[];
}

/** A command about an idea that the next run carries out at its start. */
export interface KeptCommand {
  idea: string;
  /** `rollback`: it was taken off the target and stays out until a `retry`. */
  verb: 'retry' | 'unblock' | 'limit' | 'skip' | 'skip-step' | 'bump' | 'score' | 'rollback';
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
  | { kind: 'conflict'; onto: string; files: string[] }
  | { kind: 'red'; onto: string; candidate: string };

export interface PrepareInput extends RunRef {
  idea: string;
  /** Slot name, e.g. `ed-001`. */
  agentName: string;
  reopen?: Reopen;
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
  limits: IdeaLimits;
  /** The steps, when the idea has a plan (B9). */
  plan?: PlanShape;
  /** Where an earlier workflow left the plan; absent: its first step. */
  place?: PlanPosition;
}

/** Feedback about the last iteration for the next prompt. */
export type Feedback =
  | {
      kind: 'gate-failed';
      command: string;
      exitCode: number | null;
      tail: string;
      log: string;
      newTests?: string[];
      knownTests?: string[];
    }
  | { kind: 'claimed-but-empty' }
  | { kind: 'no-signal' }
  | { kind: 'iteration-timeout'; minutes: number }
  | { kind: 'run-failed'; message: string }
  | { kind: 'landing-conflict'; files: string[]; detail: string }
  | { kind: 'landing-red'; command: string; exitCode: number | null; tail: string; log: string };

export interface RunAgentInput extends RunRef {
  idea: string;
  agentName: string;
  /** 1-based, counted over all generations of the idea, so that run folders never collide. */
  serial: number;
  /** 1-based, as shown and as counted against the limit. */
  iteration: number;
  maxIterations: number;
  timeoutMs: number;
  worktree: string;
  branch: string;
  base: string;
  feedback?: Feedback;
  /** The current step of the plan, 0-based, and the skipped ones. */
  step?: number;
  skippedSteps?: number[];
  /** Answers and hints; each is in exactly one prompt. */
  notes: string[];
  /** Newest edit of the idea's texts that the workflow has taken. */
  revision?: number;
  /** Agent from the configuration; absent: the idea's own, or the run's. */
  agent?: string;
  /** With the agent's stronger model or effort, where it has one. */
  stronger?: true;
  /** The most this run may use, as far as the agent reports use while it works. */
  allowance?: { tokens?: number; dollars?: number };
  /** The most that run and day may use, all agents together; the process that runs the agents enforces it. */
  ceilings?: Ceilings;
  /** Iterations in a row without progress: the prompt asks for another approach. */
  unchanged?: number;
}

export type AgentOutcome =
  | { kind: 'ok' }
  /**
   * turns: the agent used up the turns of one run · budget: it used up its own budget, or (`of`) that of run or day.
   */
  | { kind: 'timeout'; why: 'iteration' | 'idle' | 'turns' | 'budget'; of?: BudgetReached }
  | {
      kind: 'failed';
      failure: FailureKind;
      message: string;
      /** When the limit ends, epoch ms; of `limited` only. */
      resetAt?: number;
      /** Of `limited` only, where it is known. */
      scope?: LimitScope;
    };

export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  costUsd?: number;
}

/** Changes of an agent outside its worktree, to the user's files or repository. */
export interface OutOfBoundsRun {
  /** At most five short clauses that follow "it". */
  what: string[];
  /** For the person, with the commands that show and undo it. */
  question: string;
  /** File with the diff. */
  report: string;
}

/** The state of a running agent, as its heartbeat details: under 1 KB, never in history. */
export interface AgentProgress {
  /** The agent's last readable action, epoch ms. */
  at: number;
  /** That action, in at most {@link PROGRESS_LIMIT} characters. */
  last?: string;
  /** It waits to retry its provider, or for a limit to end. */
  waits?: 'retrying' | 'limit';
  /** Tool calls so far. */
  tools: number;
  /** The agent's answers so far. */
  messages: number;
  usage?: Usage;
}

/** Longest text in {@link AgentProgress}, in characters. */
export const PROGRESS_LIMIT = 160;

export interface RunAgentResult {
  outcome: AgentOutcome;
  signal: AgentSignal;
  durationMs: number;
  exitCode: number | null;
  /** Branch tip after the iteration, leftovers committed. */
  head: string;
  /** Commits this iteration added. */
  commits: number;
  /** The branch differs from its base. */
  changed: boolean;
  /** The agent left its worktree: the idea must not continue before a person has checked. */
  strayed?: OutOfBoundsRun;
  /** A change outside its worktree during the run that may have another cause, in a sentence. */
  noticed?: string;
  /** Why a COMPLETE cannot count, for example conflict markers or a commit that a hook refused. */
  unfinished?: string;
  /** Protected paths that the agent changed and ralphctl restored; at most twenty. */
  restored?: string[];
  /** Tail of the final message. */
  tail: string;
  /** The step of the plan that it worked on, 0-based. */
  step?: number;
  /** Problems besides the run, for example an incomplete log because the disk is full. */
  warnings?: string[];
  /** Processes that had got away from the agent's run and were ended: program and pid. */
  escaped?: string[];
  /** Folder with prompt.md, output.log, stream.jsonl, result.json. */
  dir: string;
  usage?: Usage;
  /** A conversation that a further run of the same iteration can resume. */
  session?: { id: string; iteration: number; agent: string };
  /** Agent that ran, and the key of its account. */
  agent?: string;
  account?: string;
  /** Tree of all files after the run, committed or not. */
  tree?: string;
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
}

/** Served by the agents queue of one host. */
export interface AgentActivities {
  runAgent(input: RunAgentInput): Promise<RunAgentResult>;
}
