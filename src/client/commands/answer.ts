/**
 * `ralphctl answer IDEA TEXT`. A question about a gate that was red before is often answered by a changed configuration
 * file: that goes into the run first, so that the next iteration is not judged by the old one.
 */
import { BASELINE_KEY } from '../../decide/idea/tripwires.js';
import { type Context, say } from '../context.js';
import { changedFile } from '../open-run/flags.js';
import { describeChange, reloadFile } from '../open-run/reload.js';
import { knownIdea, send, withRun } from './interventions.js';

export async function answer(
  context: Context,
  idea: string,
  text: string,
  reason: string | undefined,
): Promise<number> {
  return withRun(context, async (run) => {
    await knownIdea(context, run, idea, 'answer');
    const view = run.worker ? await run.api.idea(idea).catch(() => undefined) : undefined;
    if (view?.question?.includes(BASELINE_KEY)) {
      const { changed, kept } = await reloadFile(context, run);
      for (const change of [...changed, ...kept]) say(`the configuration file has changed: ${describeChange(change)}`);
    } else if (!context.json) for (const line of await changedFile(context, run)) say(line);
    return send(context, run, { verb: 'answer', idea, text, ...(reason ? { reason } : {}) });
  });
}
