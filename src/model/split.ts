/**
 * An idea that a person split while the run was open is a group from then on, as in the run: it lands with its parts, and
 * no number counts it. What the next start does with a split is no event of the run. Pure.
 */
import type { StampedEvent } from '../protocol/events.js';
import { saysSplit, splitsNow } from '../protocol/split.js';

export function isSplit(event: StampedEvent, over: boolean): boolean {
  if (event.kind === 'idea') return event.status === 'pending' && !event.held && saysSplit(event.reason);
  if (event.kind !== 'command' || event.idea === undefined || event.verb !== 'split') return false;
  return !event.afterRun && !over && splitsNow(event.idea, event.done);
}
