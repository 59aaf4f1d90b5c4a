/**
 * Takes into the model of a run that is over which of its ideas the backlog does not have any more: no start runs them,
 * and no view may promise one.
 * Invariant: reads only. Where nobody knows what the backlog has, every idea counts as being there.
 */
import { count } from '../../model/counts.js';
import type { RunModel } from '../../model/model.js';
import type { RunFile } from '../../run-files/shapes.js';
import { nextBacklog } from '../plan/next-backlog.js';

/** True when something changed. */
export async function takeLines(root: string, model: RunModel, file: RunFile): Promise<boolean> {
  const next = await nextBacklog(root, file);
  let changed = false;
  for (const idea of model.ideas.values()) {
    const gone = next !== undefined && !idea.group && !next.ids.has(idea.id) ? { backlog: next.name } : undefined;
    if (gone?.backlog === idea.lineGone?.backlog) continue;
    changed = true;
    count(model.counts, idea, -1);
    if (gone) idea.lineGone = gone;
    else delete idea.lineGone;
    count(model.counts, idea, 1);
  }
  return changed;
}
