import type { Teller } from '../protocol/command.js';

/** What a person said to an idea. */
export interface Said {
  at: number;
  verb: string;
  text?: string;
  by?: Teller;
  /** Of an answer: what it answered. */
  question?: string;
  /** The run's reply. */
  done?: string;
  /** That is the result of the work, which the run told later. */
  finished?: true;
  /** No prompt had this hint: the idea landed first. */
  undelivered?: true;
  /** The person dropped it before a run carried it out. */
  takenBack?: true;
}
