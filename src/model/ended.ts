/**
 * Ends a run whose events do not say its end: the server closed it.
 * Invariant: nothing in the model works afterwards. A later event of the run opens it again. May import the files beside
 * it only.
 */
import { count } from './counts.js';
import { askAgain } from './left-asking.js';
import { endedSilently } from './lost-runs.js';
import type { RunModel } from './model.js';

const AT_WORK = new Set<string>(['running', 'landing', 'wants-slot']);

/** `at`: epoch ms. */
export function endWithoutEvent(model: RunModel, state: RunModel['state'], at: number): void {
  // Views rebuild their lists.
  model.events += 1;
  Object.assign(model, { state, since: at, endedAt: at, queue: [] });
  delete model.landing;
  delete model.why;
  for (const idea of model.ideas.values()) {
    const last = idea.iterations.at(-1);
    if (last && last.endedAt === undefined) last.outcome = 'interrupted';
    endedSilently(model, idea, at);
    if (!AT_WORK.has(idea.status)) continue;
    count(model.counts, idea, -1);
    idea.status = 'pending';
    count(model.counts, idea, 1);
    delete idea.gateNow;
    delete idea.activity;
    delete idea.waits;
    delete idea.backsOff;
    delete idea.slot;
    delete idea.gating;
  }
  askAgain(model);
}
