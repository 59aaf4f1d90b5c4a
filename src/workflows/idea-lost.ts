/**
 * What follows when the worker went down while it did something for the idea. Runs that began without `ownTrouble` try
 * again for ever.
 * Invariant: the idea is charged nothing but what its agent used, as far as that is known; after some times in a row a
 * person is asked.
 */
import { addSpent, nothingSpent, spentBy } from '../decide/budget.js';
import { cutOffQuestion, MOST_CUT_OFF } from '../decide/completion.js';
import type { IdeaResult } from '../protocol/idea-run.js';
import { ask, park } from './idea-handover.js';
import type { IdeaSession } from './idea-session.js';
import { backOff } from './idea-waiting.js';

/** From the second time in a row on, the idea may be what takes the worker down. */
const SUSPECT_AFTER = 2;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

export async function afterLoss(session: IdeaSession, why: string): Promise<IdeaResult | undefined> {
  const { state } = session;
  const times = (state.cutOff ?? 0) + 1;
  state.cutOff = times;
  await bookCutOff(session);
  if (times >= MOST_CUT_OFF) {
    delete state.cutOff;
    delete state.suspect;
    return ask(session, cutOffQuestion(`${why}.`), true);
  }
  await backOff(session, Math.min(FIRST_WAIT_MS * 2 ** (times - 1), LONGEST_WAIT_MS), why);
  if (times < SUSPECT_AFTER || state.stopping || state.paused) return undefined;
  state.suspect = true;
  return park(session, { lost: times });
}

/** What the agent used is not known; how long it ran is. */
async function bookCutOff({ input, state, reporter, ranSince }: IdeaSession): Promise<void> {
  if (ranSince === undefined) return;
  const { budget } = input.settings;
  const spent = spentBy({ durationMs: Math.max(0, Date.now() - ranSince) }, false, true);
  state.spent = addSpent(state.spent ?? nothingSpent(), spent);
  if (budget?.run || budget?.day) await reporter.report('spent', { spent });
}
