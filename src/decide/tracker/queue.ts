/**
 * The queue of what a tracker is told: one at a time, in order of arrival.
 * Invariant: of an idea of a run only the newest item waits. When the tracker cannot take one, all wait with it,
 * because a limit or an outage is the whole tracker's. Pure; may import protocol and decide only.
 */

import type { RunRef } from '../../protocol/run-ref.js';
import type { TrackedItem, TrackedState, TrackerBatch, TrackerQueue } from '../../protocol/tracker.js';
import { type Check, isCount, isName, isText, listOf, maybe, oneOf, shaped } from '../messages/shape.js';

export type Waiting = TrackerQueue['waiting'][number];

/** About a day with the longest waits. */
const MOST_TRIES = 150;
const FIRST_WAIT_MS = 5000;
const LONGEST_WAIT_MS = 10 * 60_000;

export const newTrackerQueue = (): TrackerQueue => ({ waiting: [] });

const isSame = (one: Waiting, ref: RunRef, idea: string): boolean =>
  one.ref.runId === ref.runId && one.item.idea === idea;

export function addTracked(queue: TrackerQueue, { ref, items }: TrackerBatch): void {
  for (const item of items) {
    const at = queue.waiting.findIndex((one) => isSame(one, ref, item.idea));
    if (at >= 0) queue.waiting.splice(at, 1);
    queue.waiting.push({ ref, item, tries: 0 });
  }
}

/** The next one to tell now. The caller gives it back with {@link waitLonger} where it was not taken. */
export function takeNext(queue: TrackerQueue, now: number): Waiting | undefined {
  const at = wakeTrackerAt(queue);
  return at !== undefined && at > now ? undefined : queue.waiting.shift();
}

/** When the tracker may be asked again, epoch ms; undefined: at once, or nothing waits. */
export function wakeTrackerAt({ waiting }: TrackerQueue): number | undefined {
  const times = waiting.flatMap(({ notBefore }) => notBefore ?? []);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** The tracker answers: trouble that comes later begins with a short wait. */
export function answered(queue: TrackerQueue): void {
  delete queue.failures;
}

/**
 * `at`: when the tracker takes requests again. False: given up. A newer item of the same idea takes its place. `asOne`:
 * the wait grows with each failure of the tracker, whichever item it was; an older version began anew with each item.
 */
export function waitLonger(
  queue: TrackerQueue,
  one: Waiting,
  { now, at, asOne }: { now: number; at?: number | undefined; asOne: boolean },
): boolean {
  const newer = queue.waiting.find((other) => isSame(other, one.ref, one.item.idea));
  const tries = one.tries + 1;
  queue.failures = (queue.failures ?? 0) + 1;
  const notBefore = at === undefined ? now + waitAfter(asOne ? queue.failures : tries) : Math.max(now + 1000, at);
  if (newer) newer.notBefore = notBefore;
  else if (tries > MOST_TRIES) return false;
  else queue.waiting.push({ ...one, tries, notBefore });
  return true;
}

/** After so many failures in a row. */
export const waitAfter = (tries: number): number => Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);

/** A message from anyone who reaches the server. */
export const isTrackerBatch: Check<TrackerBatch> = shaped<TrackerBatch>({
  ref: shaped<RunRef>({ project: isName, runId: isName, config: maybe(isCount) }),
  items: listOf(
    shaped<TrackedItem>({
      ...{ idea: isName, life: isCount, reason: maybe(isText), commit: maybe(isName), review: maybe(isText) },
      state: oneOf<TrackedState>({ works: true, asks: true, done: true, released: true }),
    }),
    20_000,
  ),
});
