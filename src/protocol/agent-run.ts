/**
 * One run of an agent: its input, its result, its progress.
 * Invariant: results have references, counts and short tails (at most {@link TAIL_LIMIT} characters), never output.
 * Must import types only.
 */
import type { BudgetReached, Ceilings } from './budget.js';
import type { FailureKind, LimitScope } from './failures.js';
import type { RunRef } from './run-ref.js';

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
      why?: string;
    }
  | { kind: 'claimed-but-empty' }
  | { kind: 'no-signal' }
  | { kind: 'iteration-timeout'; minutes: number /** Absent in older histories. */; ms?: number }
  | { kind: 'run-failed'; message: string }
  | { kind: 'landing-conflict'; files: string[]; detail: string }
  | {
      kind: 'landing-red';
      command: string;
      exitCode: number | null;
      tail: string;
      log: string;
      /** Ideas that have landed since its work began. */
      others?: string[];
    }
  /** Of its pull request: red checks, or people who ask for changes. */
  | { kind: 'review'; about: 'checks' | 'comments'; what: string; tail: string; url: string };

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
  /** The run hears of the agent's end before its work is settled. Absent: it does not. */
  slot?: HeldSlot;
}

/** Whose slot it is, as {@link AgentEnded} says it. */
export type HeldSlot = Omit<AgentEnded, 'idea' | 'run'>;

/**
 * Worker to run: the agent of an idea has ended and says that it is done. Its slot is free before its work is settled.
 */
export interface AgentEnded {
  idea: string;
  /** Of the agent run: each run of a project counts generations and reports from the start. */
  run: string;
  /** Its generation. */
  life: number;
  /** The number of its last report before this agent run: after a later report this message says nothing any more. */
  after: number;
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
export interface AgentHeartbeat {
  /** The agent's last readable action, epoch ms. */
  at: number;
  /** That action, in at most {@link HEARTBEAT_TEXT_LIMIT} characters. */
  last?: string;
  /** It waits to retry its provider, or for a limit to end. */
  waits?: 'retrying' | 'limit';
  /** Tool calls so far. */
  tools: number;
  /** The agent's answers so far. */
  messages: number;
  usage?: Usage;
}

/** Longest text in {@link AgentHeartbeat}, in characters. */
export const HEARTBEAT_TEXT_LIMIT = 160;

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
  /** The run claims to be done and left no change, because a person merged the branch: the commit of the target. */
  merged?: string | undefined;
  /** Changes out of bounds: the idea must not continue before a person has checked. `strayed` is the wire name. */
  strayed?: OutOfBoundsRun;
  /** A change outside its worktree during the run that may have another cause, in a sentence. */
  noticed?: string;
  /** Why a COMPLETE cannot count, for example conflict markers or a commit that a hook refused. */
  unfinished?: string;
  /** The worktree, or its `.git`, was gone or replaced after the run: what ralphctl did, for the next prompt. */
  replaced?: string | undefined;
  /** Protected paths that the agent changed and ralphctl restored; at most twenty. */
  restored?: string[];
  /** Tail of the final message. */
  tail: string;
  /** Number of messages in its prompt. A later attempt, with more of them, may get the result of an earlier one. */
  notes?: number;
  /** The step of the plan that it worked on, 0-based. */
  step?: number;
  /** Problems besides the run, for example an incomplete log because the disk is full. */
  warnings?: string[];
  /** Processes that had got away from the agent's run and were ended: program and pid. */
  escaped?: string[];
  /** How ralphctl brought the worktree back to the idea's branch, which the agent had left. */
  repaired?: string[];
  /** Folder with prompt.md, output.log, stream.jsonl, result.json. */
  dir: string;
  usage?: Usage;
  /** A conversation that a further run of the same iteration can resume. */
  session?: { id: string; iteration: number; agent: string };
  /** Agent that ran, and the key of its account. */
  agent?: string;
  /** As the agent names it, else as configured. */
  model?: string;
  account?: string;
  /** Tree of all files after the run, committed or not. */
  tree?: string;
  /** Its slot was given back, or may have been, before its work was settled. */
  slotBack?: true;
}

/** The signals of an agent at the end of an iteration. Must not import anything. */
export type AgentSignal =
  | { kind: 'complete' }
  | { kind: 'blocked'; reason: string }
  | { kind: 'needs-human'; question: string }
  /** 0 to 100. */
  | { kind: 'progress'; percent: number }
  | { kind: 'none' };

/** Longest reason kept from an agent, in characters. */
export const MAX_SIGNAL_TEXT = 2000;
/**
 * Longest question kept from an agent, in characters. It is in the history of the idea a few times: in a result, in a
 * prompt's notes, and after continue-as-new. The run's state has only its beginning.
 */
export const MAX_QUESTION_TEXT = 16_384;
