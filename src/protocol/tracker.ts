/**
 * Trackers (F3, F4): work that comes from issues, and what ralphctl tells them back.
 * Invariant: plain JSON and small; no token, no text of an issue. Fields are only ever added. Must import types only.
 */
import type { RunRef } from './run-ref.js';

export const TRACKER_NAMES = ['github', 'gitlab', 'jsonl', 'command'] as const;
export type TrackerName = (typeof TRACKER_NAMES)[number];

/** Where an idea's text was written: outside, so it is data. */
export interface Origin {
  tracker: TrackerName;
  /** The id in the tracker, e.g. the number of an issue. */
  ref: string;
  url?: string;
  author?: string;
}

/** What a run tells the tracker, as much as deciding needs. Absent in a run that writes nothing there. */
export interface TrackerSettings {
  name: TrackerName;
}

/** What the tracker is to show of an idea. */
export type TrackedState = 'works' | 'asks' | 'done' | 'released';
/** What it has been told. review: `works`, with the address of the pull request of this number. */
export type ToldState = TrackedState | `review ${number}`;

export interface TrackedItem {
  idea: string;
  state: TrackedState;
  /** The generation of the idea, so that an old message does not undo a newer claim. */
  life: number;
  /** The question, or why the idea ended. */
  reason?: string;
  commit?: string;
  /** Of `works`: the address of the pull request in which it is in review. */
  review?: string;
}

/** From the autopilot to the workflow that tells the tracker. */
export interface TrackerBatch {
  ref: RunRef;
  items: TrackedItem[];
}

/** That workflow's state. */
export interface TrackerQueue {
  /** By run and idea: the newest item, which replaces an older one. */
  waiting: { ref: RunRef; item: TrackedItem; tries: number; notBefore?: number }[];
  /** Failures in a row, of whichever item. */
  failures?: number;
}

export interface TrackerInput {
  project: string;
  batch?: TrackerBatch;
  /** Set by continue-as-new. */
  state?: TrackerQueue;
  maxHistory?: number;
}

export interface ClaimInput extends RunRef {
  idea: string;
  life: number;
}

export interface TellTrackerInput extends RunRef {
  item: TrackedItem;
}

/** `later`: the forge is down, limits requests or needs a login; `at`: when it takes requests again, epoch ms. */
export type TrackerAnswer =
  | { kind: 'ok' }
  | { kind: 'taken'; by: string }
  | { kind: 'later'; why: string; at?: number }
  | { kind: 'refused'; why: string };
