/** Checks whether agents can run in a sandbox here, and says as whom they run. */
import type { Config } from '../../config/schema/config.js';
import { sandboxOf } from '../../config/schema/sandbox.js';
import { sandboxProblem } from '../../process/sandbox/check.js';
import type { Context } from '../context.js';
import { type Check, fail, info, ok } from './check.js';

const WHAT = 'sandbox';

export async function checkSandbox({ env }: Context, config: Config | undefined): Promise<Check[]> {
  const { mode } = config ? sandboxOf(config) : { mode: 'off' as const };
  const found = await sandboxProblem(env);
  if (mode === 'off') {
    const text = 'off: agents run as you, with all that you may read and write';
    return [info(WHAT, found ? `${text}. For sandbox: on, ${found.fix}` : `${text}. sandbox: on works here`)];
  }
  if (!found) return [ok(WHAT, `${mode}: bubblewrap works; agents run in a sandbox`)];
  return [fail(WHAT, found.problem, `${found.fix}. Or say sandbox: off in ralphctl.yaml`)];
}
