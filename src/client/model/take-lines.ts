/**
 * Takes into the model of a run that is over which of its ideas the backlog does not have any more, or has ticked since:
 * no start runs them, and no view may promise one.
 * Invariant: reads only. Where nobody knows what the backlog has, every idea counts as being there.
 */
import { count } from '../../model/counts.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import type { LineGone } from '../../model/since.js';
import type { RunFile } from '../../run-files/shapes.js';
import { type NextBacklog, nextBacklog } from '../plan/next-backlog.js';

/** True when something changed. `ticks`: of the newest run; a newer one ticks what it lands. */
export async function takeLines(
  root: string,
  model: RunModel,
  file: RunFile,
  { ticks = true }: { ticks?: boolean } = {},
): Promise<boolean> {
  const next = await nextBacklog(root, file);
  const ticked = new Set(ticks ? next?.written.flatMap(({ id, done }) => (done ? [id] : [])) : []);
  for (const id of file.again ?? []) ticked.delete(id);
  let changed = false;
  for (const idea of model.ideas.values()) {
    const gone = next && lineGone(next, idea, ticked.has(idea.id));
    if (gone?.backlog === idea.lineGone?.backlog && gone?.ticked === idea.lineGone?.ticked) continue;
    changed = true;
    count(model.counts, idea, -1);
    if (gone) idea.lineGone = gone;
    else delete idea.lineGone;
    count(model.counts, idea, 1);
  }
  return changed;
}

/** What left the target is judged by that: its tick may be from before. */
function lineGone({ ids, name }: NextBacklog, idea: IdeaModel, ticked: boolean): LineGone | undefined {
  if (idea.group) return undefined;
  if (!ids.has(idea.id)) return { backlog: name };
  return ticked && idea.status !== 'landed' && !idea.off ? { backlog: name, ticked: true } : undefined;
}
