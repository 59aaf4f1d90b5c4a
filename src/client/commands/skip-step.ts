/** `ralphctl skip IDEA --step`: leaves out the step of its plan that an idea is at. */
import { loadIdea } from '../../runs/run-files.js';
import type { Context } from '../context.js';
import { UserError } from '../user-error.js';
import { knownIdea, send, withRun } from './control.js';

export async function skipStep(context: Context, idea: string, reason: string | undefined): Promise<number> {
  return withRun(context, async (run) => {
    await knownIdea(context, run, idea);
    // On another host than that of the run's files, the idea itself ignores what it has no plan for.
    const known = await loadIdea(context.root, run, idea).catch(() => undefined);
    if (known && !known.plan) {
      throw new UserError(`${idea} has no plan with steps. To leave the idea out: ralphctl skip ${idea}`);
    }
    return send(context, run, { verb: 'skip-step', idea, ...(reason ? { reason } : {}) });
  });
}
