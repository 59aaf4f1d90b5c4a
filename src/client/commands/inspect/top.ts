/**
 * `ralphctl top`, and `ralphctl` alone in a terminal: the full screen of the open run, or of the last one.
 * Invariant: leaving the screen changes nothing.
 */

import { configFileIn, configFolder } from '../../../config/load.js';
import { EXIT, type ExitCode, UserError } from '../../../protocol/user-error.js';
import { newestRun, noneReadable } from '../../../run-files/readable.js';
import type { RunFile } from '../../../run-files/shapes.js';
import { type Context, findProject, findProjectId, print } from '../../context.js';
import { exitOfRun } from '../../follow/run-end.js';
import { warnOnce } from '../../report/summaries.js';
import { farewell } from '../../screen/farewell.js';
import { Screen } from '../../screen/screen.js';
import { canShowScreen } from '../../views/terminal.js';

export async function top(context: Context): Promise<ExitCode> {
  if (!canShowScreen(context.env))
    throw new UserError(
      'the full screen needs a terminal of at least 40x10. The same as lines: ralphctl status, ralphctl logs -f',
      EXIT.usage,
    );
  const project = await findProjectId(context);
  const problems: string[] = [];
  const newest = await newestRun(context.root, project, (problem) => problems.push(problem));
  for (const problem of problems) warnOnce(problem);
  if (!newest && problems.length > 0) throw noneReadable();
  if (!newest) {
    const { root } = (await findProject(context)).repository;
    const file = await configFileIn(await configFolder(context.cwd, root));
    print('No run of this repository yet. Begin with:');
    if (file === undefined) print('  ralphctl init      write a first ralphctl.yaml');
    print('  ralphctl doctor    check everything that a run needs');
    print('  ralphctl start     start a run');
    return EXIT.ok;
  }
  return showRun(context, newest.file, problems[0]);
}

/** @returns the exit code of `start` for a run that ended on the screen */
async function showRun(context: Context, file: RunFile, problem: string | undefined): Promise<ExitCode> {
  const { project, runId, repo } = file;
  const notice = problem === undefined ? {} : { notice: problem };
  const { model } = await new Screen(context, { ref: { project, runId }, repo, ...notice }).show();
  for (const line of farewell(model)) print(line);
  return exitOfRun(context, model);
}
