/** The facts of the runs of a project, the oldest first. A run that cannot be cleaned is told and left out. */
import { join } from 'node:path';
import { runDir, runsDir } from '../../config/paths.js';
import type { RunFacts } from '../../decide/retention/what-goes.js';
import { runsOver } from '../../run-files/begun.js';
import { NEXT } from '../../run-files/cleaned.js';
import type { Cleaning } from './clean.js';
import { sweep, troubleOf } from './own.js';
import { healRun, runFacts } from './runs.js';

/** Whether what a cleaning reads or replaces below a run is a folder of its own, and no link. */
async function insideIsOurs({ out }: Cleaning, dir: string): Promise<boolean> {
  let ours = true;
  for (const name of ['ideas', NEXT, 'drafts']) {
    const path = join(dir, name);
    if ((await troubleOf(path)) !== 'missing' && !(await out.mayClean(path))) ours = false;
  }
  return ours;
}

/** What a cleaning that was killed left goes first. */
export async function* allFacts(cleaning: Cleaning, project: string): AsyncGenerator<RunFacts> {
  const { root, out, dryRun } = cleaning;
  for (const { runId, over } of (await runsOver(root, project)).reverse()) {
    const dir = runDir(root, project, runId);
    if (cleaning.stop()) return;
    if (!(await out.mayClean(dir)) || !(await insideIsOurs(cleaning, dir))) continue;
    if (!dryRun && over)
      await out.trying(dir, async () => {
        await healRun(dir);
        cleaning.sweptAway(await sweep(dir), runsDir(root, project));
      });
    yield await runFacts(root, { project, runId }, over);
  }
}
