/** `warn`: the warnings of an idea, and what to do about them. */
import { readWarningAnswer } from '../../decide/warnings.js';
import { connect } from '../api/connection.js';
import { noRun, RunApi } from '../api/run.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { clean } from '../live-lines.js';
import { findProjectId } from '../project.js';
import { UserError } from '../user-error.js';
import { tellRun } from './control.js';

const DONE = {
  continue: 'goes on; the same is warned of again only when it lasts',
  stop: 'stops at its next boundary',
};

export async function warn(context: Context, idea: string, said: string | undefined): Promise<number> {
  if (said === undefined || said === 'review') return review(context, idea);
  const answer = readWarningAnswer(said);
  if (!answer) throw new UserError(`"${said}" is no answer. Usage: ralphctl warn ${idea} continue|stop|+N|review`);
  return tellRun(context, async (api) => {
    await api.warn(idea, said);
    return `${idea} ${answer.do === 'more' ? `may take ${answer.by} iterations more` : DONE[answer.do]}`;
  });
}

/** Everything that helps to judge: the warnings, the last gate, where the work is. */
async function review(context: Context, idea: string): Promise<number> {
  const id = await findProjectId(context);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, id);
    if (!(await api.facts())?.open) throw noRun();
    const view = await api.idea(idea);
    if (!view) throw new UserError(`${idea} is not running, or no worker answers. See: ralphctl status`, EXIT.noRun);
    if (context.json) printJson(view);
    else {
      const warnings = view.warnings ?? [];
      print(warnings.length === 0 ? `${idea} warns of nothing` : `${idea} warns:`);
      for (const { kind, text } of warnings) print(`  ${kind}: ${clean(text)}`);
      print(
        `iteration ${view.iteration}${view.maxIterations ? `/${view.maxIterations}` : ''}, ${view.commits} commits`,
      );
      if (view.gate) print(`last gate ${view.gate.pass ? 'green' : `red: ${clean(view.gate.command ?? '')}`}`);
      if (view.worktree) print(`its work: git -C ${view.worktree} log --stat; its output: ralphctl logs ${idea}`);
    }
    return EXIT.ok;
  } finally {
    await connected.close();
  }
}
