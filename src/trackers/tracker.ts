/**
 * The interface of trackers. Each tracker lists items, and shows for each one what ralphctl does with it.
 * Invariant: every call can be repeated: after a crash at any point a repeat leaves one comment, one claim, one close.
 * May import protocol and config only.
 */
import { inOneLine } from '../protocol/escapes.js';
import type { TrackedState } from '../protocol/tracker.js';
import type { BugReport } from '../protocol/triage.js';

/** One issue. Its texts come from outside. */
export interface Item {
  /** The id in the tracker. */
  ref: string;
  title: string;
  body: string;
  labels: string[];
  author?: string;
  /** Its author may write to the repository. */
  member: boolean;
  url?: string;
  /** ISO time. */
  created?: string;
  /** Someone works on it: who. */
  assigned?: string[];
  /** Ids in the tracker of items that come first. */
  after?: string[];
  /** Steps above normal, where the tracker itself says so. */
  priority?: number;
}

/** Who holds a claim. */
export interface Holder {
  /** Of this installation: the same for all runs of a project here, different on another machine. */
  owner: string;
  run: string;
  idea: string;
  /** Which start of the idea it is. An older one never undoes a newer one. */
  life: number;
}

export interface Shown {
  state: Exclude<TrackedState, 'works'> | 'works';
  /** Markdown. */
  text: string;
}

export interface Tracker {
  /** Names the tracker and the place in it, for people. */
  readonly where: string;
  /** Checks login, place and rights. Changes nothing. @returns who ralphctl is there */
  check(): Promise<{ login?: string }>;
  list(): Promise<Item[]>;
  /** Items that were closed since then, the newest first, some hundreds at most: for comparison only. */
  closed(since: Date): Promise<BugReport[]>;
  /**
   * Takes the item for the holder and shows the text. Of two holders one gets it.
   * @returns who has it, where that is someone else
   */
  claim(ref: string, holder: Holder, text: string): Promise<{ taken: string } | undefined>;
  /**
   * Takes the claims of other installations off the item, whose runs are over for good.
   * @returns who had it
   */
  free(ref: string, holder: Pick<Holder, 'owner'>): Promise<string[]>;
  /** Shows another state. `done` closes the item where the configuration says so; `released` gives it back. */
  show(ref: string, holder: Holder, shown: Shown): Promise<void>;
}

/** A call that did not work. */
export class TrackerError extends Error {
  override readonly name = 'TrackerError';

  /**
   * @param message a sentence for a person, with the fix
   * @param retry whether the same call can work later
   * @param at when, epoch ms, where the tracker says so
   * @param needsPerson a wait does not help: a program or a login is missing
   */
  constructor(
    message: string,
    readonly retry: boolean,
    readonly at?: number,
    readonly needsPerson = false,
  ) {
    super(inOneLine(message));
  }
}

/** Longest wait for an end that a tracker names: one that is wrong must not hold work for years. */
const LONGEST_MS = 24 * 3_600_000;

export const notTooFar = (end: number, now: number): number => Math.min(end, now + LONGEST_MS);

/**
 * When to ask again, epoch ms. Undefined: the tracker names no end, or one that is over, as with another clock: then the
 * waits grow from try to try.
 */
export function endOfWait({ at }: Pick<TrackerError, 'at'>, now: number): number | undefined {
  return at === undefined || at <= now ? undefined : notTooFar(at, now);
}
