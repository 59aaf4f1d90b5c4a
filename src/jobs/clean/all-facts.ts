/** The facts of the runs of a project, the oldest first. A run that cannot be cleaned is told and left out. */
import { runDir, runsDir } from '../../config/paths.js';
import type { RunFacts } from '../../decide/retention/what-goes.js';
import { runsOver } from '../../run-files/begun.js';
import type { Cleaning } from './clean.js';
import { sweep } from './own.js';
import { healRun, runFacts } from './runs.js';

/** What a cleaning that was killed left goes first. */
export async function* allFacts(cleaning: Cleaning, project: string): AsyncGenerator<RunFacts> {
  const { root, out, dryRun } = cleaning;
  for (const { runId, over } of (await runsOver(root, project)).reverse()) {
    const dir = runDir(root, project, runId);
    if (cleaning.stop()) return;
    if (!(await out.mayClean(dir))) continue;
    if (!dryRun && over)
      await out.trying(dir, async () => {
        await healRun(dir);
        cleaning.sweptAway(await sweep(dir), runsDir(root, project));
      });
    yield await runFacts(root, { project, runId }, over);
  }
}
