/** An error that a person caused or can mend: shown as it is, without a stack. */
import { EXIT, type ExitCode } from './exit-codes.js';

export class UserError extends Error {
  readonly exitCode: ExitCode;

  /** @param message one or more sentences that name what happened, where, and the fix */
  constructor(message: string, exitCode: ExitCode = EXIT.usage) {
    super(message);
    this.name = 'UserError';
    this.exitCode = exitCode;
  }
}
