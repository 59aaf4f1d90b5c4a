/** One idea through the runs of its project, from their events. Invariant: reads only. */
import type { ShownRun } from '../../report/show.js';
import { readIdea } from '../../run-files/read-model.js';
import { listRuns } from '../../run-files/run.js';

/** Runs that are read. */
const MOST_RUNS = 20;

/** The runs whose events name the idea, newest first. */
export async function ideaInRuns(root: string, project: string, id: string): Promise<ShownRun[]> {
  const found: ShownRun[] = [];
  for (const runId of (await listRuns(root, project)).slice(0, MOST_RUNS)) {
    const told = await readIdea(root, { project, runId }, id);
    if (told) found.push({ runId, startedAt: told.at, idea: told.idea });
  }
  return found;
}
