/** `edit IDEA --forget`, `split IDEA --forget`: later runs read the idea from the backlog again. */
import { forget } from '../../runs/amendments.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { findProjectId } from '../project.js';
import { UserError } from '../user-error.js';

export async function forgetAmendment(context: Context, idea: string, verb: 'edit' | 'split'): Promise<number> {
  const id = await findProjectId(context);
  if (!(await forget(context.root, id, idea, verb === 'edit' ? 'fields' : 'parts')))
    throw new UserError(`no ${verb} of ${idea} is kept for later runs`);
  const done = `later runs read ${idea} from the backlog again; a run that is open goes on with the ${verb}`;
  if (context.json) printJson({ done, verb, idea });
  else print(done);
  return EXIT.ok;
}
