/**
 * Questions of an idea and answers to them, as the two workflows store and exchange them.
 * Invariant: plain JSON and small. Fields are only ever added, never changed in meaning. Must import types only.
 */
import type { Teller } from './command.js';

/** An open question. */
export interface Asked {
  /** Unique among the questions of the idea, in all runs. */
  id: string;
  /** epoch ms */
  at: number;
}

/** The answer that an idea took. */
export interface TakenAnswer {
  /** Id of its question. */
  question?: string;
  /** Id of the command that brought it. */
  command?: string;
  /** Cut to {@link MAX_TAKEN_TEXT} characters. */
  text: string;
  by?: Teller;
  /** Name of the person's account on their machine. */
  who?: string;
  /** epoch ms */
  at: number;
}

/** Longest text in {@link TakenAnswer}, in characters. */
export const MAX_TAKEN_TEXT = 200;

/** An answer on its way from the run to the idea. */
export interface SentAnswer {
  /** Id of the command. */
  id: string;
  text?: string;
  reason?: string;
  by?: Teller;
  who?: string;
}

/** Idea to run: whether it took the answer of this command. */
export interface AnswerTaken {
  idea: string;
  id: string;
  /** approval: the answer approves · budget: it raises the budget, or ends the idea. */
  took?: 'text' | 'approval' | 'budget';
  /** Why it did not take the answer. */
  refusal?: string;
}
