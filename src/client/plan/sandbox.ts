/** Whether agents run in a sandbox, and the check that this machine can do it. */
import type { Config } from '../../config/schema/config.js';
import { sandboxOf } from '../../config/schema/sandbox.js';
import { EXIT, UserError } from '../../protocol/user-error.js';

/** @throws UserError where the configuration asks for a sandbox and this machine cannot run one */
export async function checkSandbox(env: NodeJS.ProcessEnv, config: Config): Promise<void> {
  if (sandboxOf(config).mode === 'off') return;
  const { sandboxProblem } = await import('../../process/sandbox/check.js');
  const found = await sandboxProblem(env);
  if (!found) return;
  const fix = `${found.fix}. Or let agents run as you: sandbox: off`;
  throw new UserError(`ralphctl.yaml asks for a sandbox, and ${found.problem}. To fix it: ${fix}`, EXIT.usage, fix);
}

/** For the line that announces a run; empty where agents run as the user. */
export const sandboxText = (config: Config): string => {
  const { mode } = sandboxOf(config);
  return mode === 'off' ? '' : `, in a sandbox${mode === 'strict' ? ' (strict)' : ''}`;
};
