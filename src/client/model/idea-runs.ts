/** One idea through the runs of its project, from their events. Invariant: reads only. */
import { fold, newModel } from '../../model/fold.js';
import type { ShownRun } from '../../report/show.js';
import { eventsPath, followEvents } from '../../run-files/events.js';
import { listRuns } from '../../run-files/run.js';

/** Runs that are read. */
const MOST_RUNS = 20;

/** The runs whose events name the idea, newest first. */
export async function ideaInRuns(root: string, project: string, id: string): Promise<ShownRun[]> {
  const found: ShownRun[] = [];
  for (const runId of (await listRuns(root, project)).slice(0, MOST_RUNS)) {
    const model = newModel({ project, runId, name: '', target: '' });
    for await (const event of followEvents(eventsPath(root, { project, runId }), AbortSignal.abort()))
      if ('idea' in event && event.idea === id) fold(model, event);
    const idea = model.ideas.get(id);
    if (idea) found.push({ runId, startedAt: model.startedAt ?? 0, idea });
  }
  return found;
}
