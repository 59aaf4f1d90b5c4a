/** `ralphctl runs`: the history of all runs of the project. Works without a server. */
import { runsText } from '../../report/history.js';
import { listRuns } from '../../run-files/run.js';
import { type Context, findProjectId, printJson, say } from '../context.js';
import { EXIT } from '../errors.js';
import { historyRuns, projectName } from '../report/history.js';
import { printLines, textWidth } from '../report/print.js';

export async function runs(context: Context): Promise<number> {
  const project = await findProjectId(context);
  const [newest] = await listRuns(context.root, project);
  if (newest === undefined) {
    say('this repository has had no run yet. Start one with: ralphctl start');
    return EXIT.ok;
  }
  const history = await historyRuns(context, project);
  if (context.json) for (const run of history.runs) printJson(run);
  else {
    const name = await projectName(context.root, { project, runId: newest }).catch(() => project);
    printLines(runsText({ name, ...history }, Date.now(), textWidth()));
  }
  return EXIT.ok;
}
