/**
 * `ralphctl hint IDEA TEXT`. Only the idea itself knows how much waits for its next prompt, so it is asked first; without a
 * worker, and from elsewhere, it refuses by itself, in `logs`.
 */
import { notesProblem } from '../../decide/notes.js';
import type { Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { UserError } from '../user-error.js';
import { knownIdea, send, withRun } from './control.js';

export async function hint(context: Context, idea: string, text: string, reason: string | undefined): Promise<number> {
  return withRun(context, async (run) => {
    await knownIdea(context, run, idea, 'hint');
    const view = run.worker ? await run.api.idea(idea).catch(() => undefined) : undefined;
    // That of an earlier run is over, and answers still.
    const { notes: count = 0, notesSize: size = 0 } = view && view.phase !== 'closed' ? view : {};
    const problem = notesProblem(idea, { count, size }, text);
    if (problem !== undefined) throw new UserError(problem, EXIT.refused);
    return send(context, run, { verb: 'hint', idea, text, ...(reason ? { reason } : {}) });
  });
}
