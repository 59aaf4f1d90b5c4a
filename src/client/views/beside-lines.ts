/** What `status` prints of ideas that neither work nor need a person: landed ones, waiting ones, those left out, groups. Pure. */
import { countsIn, groupProgress } from '../../model/counts.js';
import type { RunModel } from '../../model/model.js';
import { isOff } from '../../model/reverted.js';
import { listsOf } from '../../screen/lists.js';

export interface GroupLine {
  id: string;
  done: number;
  total: number;
}

/** Ids of a list that a line names. */
const NAMED = 10;

const named = (ids: readonly string[], command: string): string => {
  const left = ids.length - NAMED;
  return `${ids.slice(0, NAMED).join(', ')}${left > 0 ? ` and ${left} more: ${command}` : ''}`;
};

export function groupsOf({ ideas, order }: Pick<RunModel, 'ideas' | 'order'>): GroupLine[] {
  return order.filter((id) => ideas.get(id)?.group).map((id) => ({ id, ...groupProgress(ideas, id) }));
}

/** `groups: catalog 3/4 landed, auth 1/2` */
export function groupsLine(groups: readonly GroupLine[]): string[] {
  const each = groups.map(({ id, done, total }, at) => `${id} ${done}/${total}${at === 0 ? ' landed' : ''}`);
  return each.length === 0 ? [] : [`groups: ${named(each, 'ralphctl status --all')}`];
}

export function besideLines(model: RunModel): string[] {
  const waiting = listsOf(model).waiting.map(({ id, after }) => `${id} after ${after}`);
  const landed = model.order.filter((id) => {
    const idea = model.ideas.get(id);
    return idea && countsIn(idea) && idea.status === 'landed' && !isOff(idea);
  });
  const leftOut = model.order.filter((id) => {
    const idea = model.ideas.get(id);
    return idea && countsIn(idea) && (idea.status === 'skipped' || idea.status === 'abandoned');
  });
  const [one = 'IDEA', ...others] = leftOut;
  const why = `; the ${others.length > 0 ? 'reasons: ralphctl why IDEA' : `reason: ralphctl why ${one}`}`;
  return [
    ...(waiting.length > 0 ? [`wait for others: ${named(waiting, 'ralphctl status --only pending')}`] : []),
    ...(landed.length > 0 ? [`landed: ${named(landed, 'ralphctl status --only landed')}`] : []),
    ...(leftOut.length > 0 ? [`left out: ${named(leftOut, 'ralphctl status --all')}${why}`] : []),
    ...groupsLine(groupsOf(model)),
  ];
}
