/**
 * A person's command to a run or to one of its ideas: one shape for the CLI, the Web UI and scripts.
 * Invariant: verbs are persisted in histories and never change their meaning. A command is small: texts of an edit are
 * in the run's files, and the command has their revision.
 * Must import types only.
 */
import type { Dimension } from './budget.js';
import type { IdeaCard } from './idea.js';
import type { IdeaPhase } from './idea-run.js';

export type RunMode = 'autopilot' | 'semi-auto' | 'step';
export const RUN_MODES: readonly RunMode[] = ['autopilot', 'semi-auto', 'step'];

/** Verbs without an idea. */
export const RUN_VERBS = [
  'pause',
  'pause-now',
  'resume',
  'review',
  'stop',
  'abort',
  'slots',
  'mode',
  'approve',
  'retry-limit',
  'raise-budget',
  'reload-config',
] as const;
export type RunVerb = (typeof RUN_VERBS)[number];

/** Verbs about one idea. Some also exist for the whole run; `idea` in the command makes the difference. */
export const IDEA_VERBS = [
  'assign',
  'approve',
  'retry',
  'edit',
  'rollback',
  'cleanup',
  'limit',
  'unblock',
  'skip',
  'skip-step',
  'abandon',
  'hint',
  'answer',
  'bump',
  'score',
  'split',
  'pause',
  'pause-now',
  'resume',
  'stop',
] as const;
export type IdeaVerb = (typeof IDEA_VERBS)[number];
export type Verb = RunVerb | IdeaVerb;

/** Changes of an idea's limits; an absent limit stays. */
export interface LimitPatch {
  maxIterations?: number;
  /** On top of `maxIterations`. */
  extra?: number;
  timeoutMs?: number;
  iterationTimeoutMs?: number;
}

/** The front end of a person; `signal`: a raw Temporal signal, e.g. of the Web UI. */
export type Teller = 'cli' | 'screen' | 'signal';
export const TELLERS: readonly Teller[] = ['cli', 'screen', 'signal'];

/** Where an idea is when it gets a hint: whether another prompt follows. */
export interface HintedAt {
  phase: IdeaPhase;
  iteration: number;
  maxIterations?: number;
  /** It has a single attempt. */
  single?: true;
  /** 1-based. */
  step?: { number: number; of: number };
}

export interface Intervention {
  verb: Verb;
  idea?: string;
  /** A command that arrives twice under one id counts once. */
  id?: string;
  reason?: string;
  /** The person's front end; absent: unknown. */
  by?: Teller;
  /** Of `hint` and `answer`; of `retry-limit` the account or agent. */
  text?: string;
  /** Of `hint`: where its sender saw the idea, for the words of the reply. */
  seen?: HintedAt;
  /** Of `answer`: the id of the question that it answers; absent: the open one. */
  question?: string;
  /** Of `answer`: the name of the person's account on their machine. */
  who?: string;
  /** Of `slots`, `limit`, `score` and `raise-budget`. */
  n?: number;
  /** Of `raise-budget`: which budget, when it is not the used-up one. */
  scope?: 'run' | 'day';
  dimension?: Dimension;
  mode?: RunMode;
  /** Of `retry`: drop the work so far (ralphctl saves it first). */
  fresh?: boolean;
  /** Of `cleanup`: also with work that is neither landed nor committed (ralphctl saves it first). */
  force?: boolean;
  /** Of `edit`: limits, the new title, and the number of the file that holds the new texts; of `reload-config` that of the configuration. */
  patch?: LimitPatch;
  title?: string;
  revision?: number;
  /** Of `split`: the ideas that replace it. */
  cards?: IdeaCard[];
}

/** The answer to an accepted command. */
export interface InterventionAnswer {
  /** One sentence about the effect. */
  done: string;
}

/** Longest hint or answer, in characters. */
export const MAX_COMMAND_TEXT = 8000;

/** Hints and answers that may wait for one prompt, and their characters together. */
export const MOST_NOTES = { count: 500, size: 32_000 };
/** The same for an idea that has not started: the run's state holds them. */
export const MOST_KEPT_NOTES = { count: 20, size: 8000 };

/** Most iterations and minutes in an edit, as in the configuration. Temporal timers cannot hold a longer time. */
export const MOST_ITERATIONS = 10_000;
export const MOST_MINUTES = 10_080;

/* A person's answer to an idea's question, and the note that puts it into the next prompt. */

export interface Answered {
  question: string;
  answer: string;
}

export const answerNote = ({ question, answer }: Answered): string => `You asked: ${question}\nThe answer: ${answer}`;

/** Undefined for a note that is a hint. */
export function answerIn(note: string): Answered | undefined {
  const [, question, answer] = /^You asked: ([\s\S]*?)\nThe answer: ([\s\S]*)$/.exec(note) ?? [];
  return question === undefined || answer === undefined ? undefined : { question, answer };
}

/** Begins what a run says at its end of a hint that no prompt had. */
export const HINT_KEPT = 'kept for the first prompt in the next run';
/** The words for a hint to an idea that landed without another prompt. */
export const UNDELIVERED = 'not delivered: it landed first';
