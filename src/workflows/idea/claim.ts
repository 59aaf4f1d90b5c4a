/**
 * Before its first iteration an idea claims its item in the tracker, so that nobody else works on it.
 * Invariant: without a tracker that the run writes to, nothing happens here. A tracker that is down delays the idea and
 * fails nothing.
 */
import { patched } from '@temporalio/workflow';
import type { NextStep } from '../../decide/idea/completion.js';
import { waitAfter } from '../../decide/tracker/queue.js';
import { elsewhereText } from '../../protocol/claimed-elsewhere.js';
import { refOf, trackerActivities } from '../proxies.js';
import { emit } from '../publish.js';
import type { IdeaSession } from './session.js';

/** Another installation, and no person. */
const OTHER = /of another ralphctl\)?$/;

/** Undefined: the item is this idea's, or there is none. */
export async function claim(session: IdeaSession): Promise<NextStep | undefined> {
  const { input, state } = session;
  if (!input.settings.tracker || state.claimed || !patched('tracker')) return undefined;
  const { idea, life } = input;
  const answer = await trackerActivities(`claim ${idea}`).claimItem({ ...refOf(input), idea, life });
  switch (answer.kind) {
    case 'ok':
      state.claimed = true;
      emit(input, { kind: 'tracker', idea, state: 'claimed' });
      return undefined;
    case 'taken': {
      const over = OTHER.test(answer.by) ? `ralphctl retry ${idea} --take-over` : undefined;
      const why = elsewhereText(answer.by, over);
      emit(input, { kind: 'tracker', idea, state: 'taken', why });
      return { do: 'close', outcome: 'skipped', reason: why };
    }
    case 'refused':
      emit(input, { kind: 'tracker', idea, state: 'failed', why: answer.why });
      return { do: 'close', outcome: 'failed', reason: `it cannot be claimed: ${answer.why}` };
    case 'later': {
      session.claimTries += 1;
      const now = Date.now();
      const waitMs = answer.at === undefined ? waitAfter(session.claimTries) : Math.max(1000, answer.at - now);
      return { do: 'rerun', waitMs, why: answer.why, counts: 'failure' };
    }
  }
}
