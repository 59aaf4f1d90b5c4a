/** An error that a person caused or can mend: shown as it is, without a stack. */

export class UserError extends Error {
  readonly exitCode: ExitCode;

  /** @param message one or more sentences that name what happened, where, and the fix */
  constructor(message: string, exitCode: ExitCode = EXIT.usage) {
    super(message);
    this.name = 'UserError';
    this.exitCode = exitCode;
  }
}

/** Exit codes of every command. Documented in docs/cli.md; a test keeps both in step. */
export const EXIT = {
  /** Done; for `start`: everything landed. */
  ok: 0,
  /** A fault of ralphctl itself. */
  internal: 1,
  /** Bad input: arguments, configuration, backlog, repository. Nothing was started. */
  usage: 2,
  /** The run ended with ideas that did not land. */
  notLanded: 3,
  /** All that is left of the run waits for a person. */
  needsHuman: 4,
  /** No Temporal server, or no worker, could be reached. */
  unreachable: 5,
  /** There is no run to act on. */
  noRun: 6,
  /** Not possible in the state that the run or the idea is in; the message says what is. */
  refused: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
