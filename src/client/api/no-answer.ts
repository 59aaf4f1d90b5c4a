/** Errors of a run or an idea that gives no answer. */
import { EXIT, UserError } from '../../protocol/user-error.js';

export const noWorker = (): UserError =>
  new UserError('no worker answers. Start one with: ralphctl start', EXIT.unreachable);

export const notRunning = (idea: string): UserError =>
  new UserError(`${idea} is not running, so it has no warnings. See: ralphctl status`, EXIT.refused);
