/**
 * `ralphctl top`, and `ralphctl` alone in a terminal: the full screen of the open run, or of the last one.
 * Invariant: leaving the screen changes nothing.
 */

import { EXIT, type ExitCode, UserError } from '../../../protocol/user-error.js';
import { listRuns, loadRun } from '../../../run-files/run.js';
import { type Context, findProjectId, print } from '../../context.js';
import { exitOfRun } from '../../follow/run-end.js';
import { farewell } from '../../screen/farewell.js';
import { runScreen } from '../../screen/screen.js';
import { canShowScreen } from '../../views/terminal.js';

export async function top(context: Context): Promise<ExitCode> {
  if (!canShowScreen(context.env))
    throw new UserError(
      'the full screen needs a terminal of at least 40x10. The same as lines: ralphctl status, ralphctl logs -f',
      EXIT.usage,
    );
  const project = await findProjectId(context);
  const [runId] = await listRuns(context.root, project);
  if (runId === undefined) {
    print('No run of this repository yet. Begin with:');
    print('  ralphctl init      write a first ralphctl.yaml');
    print('  ralphctl doctor    check everything that a run needs');
    print('  ralphctl start     start a run');
    return EXIT.ok;
  }
  return showRun(context, project, runId);
}

/** @returns the exit code of `start` for a run that ended on the screen */
export async function showRun(context: Context, project: string, runId: string): Promise<ExitCode> {
  const ref = { project, runId };
  const { file } = await loadRun(context.root, ref);
  const { model } = await runScreen(context, { ref, repo: file.repo });
  for (const line of farewell(model)) print(line);
  return exitOfRun(context, model);
}
