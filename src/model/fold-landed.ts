/**
 * A landing of an idea in this run.
 * Invariant: an event that tells only that a rollback did not go through is none. May import protocol only.
 */
import type { StampedEvent } from '../protocol/events.js';
import { staysLanded } from '../protocol/taken-off.js';
import type { IdeaModel } from './model.js';

export function landed(idea: IdeaModel, event: Extract<StampedEvent, { kind: 'idea' }>, at: number): void {
  if (staysLanded(event)) {
    // It landed when it did, perhaps before this run.
    idea.since = idea.landedAs?.at ?? idea.since;
    return;
  }
  idea.landedBefore = false;
  landedFirst(idea);
  // The run tells a landing again, such as after a clean-up: then it has been landed since the first time.
  if (event.commit !== undefined) idea.landedAs = { commit: event.commit, at: idea.since ?? at };
}

/** The idea has landed: a hint since the last prompt is in none. The prompt of a run that began twice may be newer. */
function landedFirst({ said: all, iterations, givenTo = 0 }: IdeaModel): void {
  const last = Math.max(iterations.at(-1)?.startedAt ?? 0, givenTo);
  for (const one of all) if (one.verb === 'hint' && one.done !== undefined && one.at > last) one.undelivered = true;
}
