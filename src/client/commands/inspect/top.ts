/**
 * `ralphctl top`, and `ralphctl` alone in a terminal: the full screen of the open run, or of the last one.
 * Invariant: leaving the screen changes nothing.
 */

import { EXIT, type ExitCode, UserError } from '../../../protocol/user-error.js';
import { listRuns, loadRun } from '../../../run-files/run.js';
import { type Context, findProjectId, print } from '../../context.js';
import { runScreen, type ScreenEnd } from '../../screen/screen.js';
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
  const end = await runScreen(context, { ref, repo: file.repo });
  for (const line of farewell(end)) print(line);
  return exitCode(end);
}

function farewell({ model }: ScreenEnd): string[] {
  const { counts, state, name, target } = model;
  const over = model.endedAt !== undefined;
  const asks = [...model.ideas.values()].filter((idea) => idea.status === 'needs-human').map(({ id }) => id);
  return [
    `${name} onto ${target}: ${state}; ${counts.landed} of ${counts.total} landed, ${counts.needYou} need you`,
    ...(asks.length > 0 ? [`waiting for an answer: ${asks.slice(0, 5).join(', ')}`] : []),
    over ? 'See again: ralphctl, ralphctl status' : 'The run continues. Come back with: ralphctl',
  ];
}

function exitCode({ model }: ScreenEnd): ExitCode {
  if (model.state !== 'completed') return EXIT.ok;
  return model.counts.landed + model.counts.skipped < model.counts.total ? EXIT.notLanded : EXIT.ok;
}
