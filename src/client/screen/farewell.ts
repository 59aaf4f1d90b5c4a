/** The lines on the normal screen after the full screen: how the run stands, who is waited for, how to come back. */
import type { RunModel } from '../../model/model.js';
import { isOver } from '../../screen/idea/possible.js';
import { listsOf } from '../../screen/lists.js';
import { clean } from '../../screen/text/text.js';

const MOST_NAMED = 5;

export function farewell(model: RunModel): string[] {
  const { counts, state, name, target } = model;
  const ids = listsOf(model).needs.map(({ id }) => id);
  const more = ids.length - MOST_NAMED;
  return [
    `${clean(name)} onto ${clean(target)}: ${state}; ${counts.landed} of ${counts.total} landed, ${counts.needYou} need you`,
    ids.length === 0
      ? 'Nobody is waited for.'
      : `Waiting for you: ${clean(ids.slice(0, MOST_NAMED).join(', '))}${more > 0 ? ` and ${more} more` : ''}`,
    isOver(model) || model.endedAt !== undefined
      ? 'See again: ralphctl, ralphctl status'
      : 'The run continues. Come back with: ralphctl   inspect: ralphctl status   end it: ralphctl stop',
  ];
}
