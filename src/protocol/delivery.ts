/**
 * Delivery (D2): what reaches the remote after a landing, and what waits for it.
 * Invariant: plain JSON and small; no address with a login. Fields are only ever added, never changed in meaning. Must
 * import types only.
 */
import type { RunRef } from './run-ref.js';

/** Absent in a run: work stays in the local repository. */
export interface DeliverySettings {
  /** pr: each idea's branch is pushed, and a pull request opened. */
  mode: 'push' | 'pr';
  /** Remote and branch there, for people: `origin/main`. */
  to: string;
  /** First wait after a failed push; it doubles each time. */
  retryMs: number;
  /** With mode pr: the first wait between two looks at a pull request; it grows while nothing happens. */
  pollMs?: number;
  /** With mode pr: an idea starts on top of the open pull request that it depends on. */
  stack?: true;
}

/**
 * Why landed work is not on the remote. unreachable: network, login, or no repository there · rejected: a hook, a
 * protected branch or missing permission · moved: the remote moves faster than ralphctl pushes · rewound: somebody
 * removed commits there that are still here · conflict, red: it does not land again on top of the remote · foreign: the
 * remote moved, and the target has commits of somebody else ·
 * secret: a commit holds a text that looks like a secret · remote: the remote's settings changed since the start ·
 * failed: the push could not be tried.
 */
export const HELD_CAUSES = [
  'unreachable',
  'rejected',
  'moved',
  'rewound',
  'conflict',
  'red',
  'foreign',
  'secret',
  'remote',
  'failed',
] as const;
export type HeldCause = (typeof HELD_CAUSES)[number];

export interface PushTargetInput extends RunRef {
  /** The tips of the last try, if its cause was in the commits: the same tips are not gated again. */
  known?: KnownTips;
  /** Number of pushes of the run before this one that have a result: a repeated try counts from the same commit. */
  serial?: number;
}

export interface Tips {
  local: string;
  /** Absent: the remote has no such branch. */
  remote?: string;
}

/** Cause and text are absent in a message of an older version. */
export type KnownTips = Tips & Partial<Pick<NotDelivered, 'cause' | 'why'>>;

export interface Delivered {
  /** Tip of the target, which the remote has now. */
  commit: string;
  /** Commits that the remote did not have; 0: it had them all. */
  commits: number;
  /** Ideas in these commits. Cut. */
  ideas: string[];
  /** These ideas landed again, on top of a remote that had moved. */
  replaced?: { idea: string; commit: string }[];
  /** A note for the user, for example about a dirty checkout that was left behind. */
  note?: string;
}

export interface NotDelivered {
  cause: HeldCause;
  /** A clause: what happened. */
  why: string;
  /** Commits that the remote lacks; absent where the remote could not be asked. */
  commits?: number;
  /** Ideas in these commits, as far as known. Cut. */
  ideas: string[];
  tips?: Tips;
}

export type PushTargetResult =
  | ({ kind: 'pushed' } & Delivered)
  | ({ kind: 'held' } & NotDelivered & Pick<Delivered, 'replaced' | 'note'>);

/** In the autopilot's state, once something has landed that the remote may lack. */
export interface DeliveryState {
  /** A push is to be tried. */
  due?: true;
  /** A push is under way. */
  busy?: true;
  /** Why the last push did not work; `tries`: failed ones in a row; `at`: the next try, epoch ms. */
  held?: NotDelivered & { tries: number; since: number; at: number };
}

/** In `status`, while the remote lacks landed work. */
export interface DeliveryLine {
  to: string;
  text: string;
  /** epoch ms */
  since?: number;
  /** Next try by itself, epoch ms. */
  at?: number;
}
