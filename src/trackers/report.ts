/** An item of a tracker as triage reads it. May import this folder and protocol only. */
import { type BugReport, RECENT_DAYS } from '../protocol/triage.js';
import type { Item, Tracker } from './tracker.js';

/** `ralphctl triage` and the waves of a run judge the same text, so that a person's verdict holds in both. */
export const reportOf = ({ ref, title, body, labels, author, created, url }: Item): BugReport => ({
  ...{ id: ref, title, body, labels, state: 'open' },
  ...(author ? { author } : {}),
  ...(created ? { created } : {}),
  ...(url ? { url } : {}),
});

const RECENT_MS = RECENT_DAYS * 24 * 3_600_000;

/** The open reports of a tracker, and those that were closed lately. `items`: what is open in it. */
export async function reportsOf(tracker: Tracker, items: readonly Item[]): Promise<BugReport[]> {
  // A report that somebody opened again in between is open.
  const open = new Set(items.map(({ ref }) => ref));
  const closed = await tracker.closed(new Date(Date.now() - RECENT_MS));
  return [...items.map(reportOf), ...closed.filter(({ id }) => !open.has(id))];
}
