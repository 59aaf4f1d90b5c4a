/** `--forget`: takes back what the next start would carry over. An open run keeps what it has taken. */
import type { KeptCommand } from '../../../protocol/activities.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { forget } from '../../../run-files/amendments.js';
import { runsOver } from '../../../run-files/begun.js';
import { forgetKept } from '../../../run-files/kept.js';
import { recordCommand } from '../../after-run/act.js';
import { lockProject, runOf } from '../../after-run/closed.js';
import { type Context, findProjectId, print, printJson } from '../../context.js';

/* `edit IDEA --forget`, `split IDEA --forget`: later runs read the idea from the backlog again. */

export async function forgetAmendment(context: Context, idea: string, verb: 'edit' | 'split'): Promise<number> {
  const id = await findProjectId(context);
  const what = verb === 'edit' ? 'fields' : 'parts';
  if (!(await lockProject(context, id, () => forget(context.root, id, idea, what))))
    throw new UserError(`there is no ${verb} of ${idea} to drop`, EXIT.refused);
  const done = `later runs read ${idea} from the backlog again. An open run keeps the ${verb}`;
  if (context.json) printJson({ done, verb, idea });
  else print(done);
  return EXIT.ok;
}

/* `retry IDEA --forget` and similar: the next start does not apply the command. */

export async function forgetCarried(
  context: Context,
  idea: string,
  what: KeptCommand['verb'] | 'hint',
): Promise<number> {
  const project = await findProjectId(context);
  const verb = what === 'skip-step' ? 'skip --step' : what;
  const done = `the next start does not carry over the ${verb} of ${idea}. An open run keeps it`;
  const found = await lockProject(context, project, async () => {
    if (!(await forgetKept(context.root, project, idea, what))) return false;
    await record({ context, project }, idea, { verb: what, done });
    return true;
  });
  if (!found) throw new UserError(`there is no ${verb} of ${idea} to drop`, EXIT.refused);
  if (context.json) printJson({ done, verb: what, idea });
  else print(done);
  return EXIT.ok;
}

/** Only the run that had the command in its events, and only once it is over: an open one keeps the command. */
async function record(
  about: { context: Context; project: string },
  idea: string,
  told: { verb: string; done: string },
): Promise<void> {
  const ref = await runOf(about, idea);
  const runs = ref ? await runsOver(about.context.root, about.project) : [];
  if (runs.some(({ runId, over }) => over && runId === ref?.runId))
    await recordCommand(about, { id: idea, title: idea }, { ...told, forgets: true });
}
