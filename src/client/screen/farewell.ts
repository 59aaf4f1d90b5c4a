/** The lines on the normal screen after the full screen: how the run stands, who is waited for, how to come back. */
import type { RunModel } from '../../model/model.js';
import { isOver } from '../../screen/idea/possible.js';
import { listsOf } from '../../screen/lists.js';
import { needYou } from '../../screen/text/numbers.js';
import { clean } from '../../screen/text/text.js';

const MOST_NAMED = 5;

/** Leaving changes nothing about the run. */
const STAYS: Readonly<Record<string, string>> = {
  pausing: 'The run pauses; go on with: ralphctl resume',
  paused: 'The run stays paused; go on with: ralphctl resume',
  stopping: 'The run ends once its running iterations have ended',
};

export function farewell(model: RunModel): string[] {
  const { counts, state, name, target } = model;
  const { needs } = listsOf(model);
  const ids = needs.filter(({ shown }) => shown !== 'review').map(({ id }) => id);
  const review = ids.length < needs.length;
  const more = ids.length - MOST_NAMED;
  return [
    `${clean(name)} onto ${clean(target)}: ${state}; ${counts.landed} of ${counts.total} landed, ${needYou(needs.length)}`,
    ...(review ? ['The run waits for your review: ralphctl review'] : []),
    ...(ids.length > 0
      ? [`Waiting for you: ${clean(ids.slice(0, MOST_NAMED).join(', '))}${more > 0 ? ` and ${more} more` : ''}`]
      : review
        ? []
        : ['Nobody is waited for.']),
    isOver(model) || model.endedAt !== undefined
      ? 'See again: ralphctl, ralphctl status'
      : `${STAYS[state] ?? 'The run continues'}. Come back with: ralphctl   inspect: ralphctl status   end it: ralphctl stop`,
  ];
}
