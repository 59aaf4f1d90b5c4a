/**
 * The one base of errors that a person reads. The CLI prints the message and exits with the code of the error, whatever
 * its class; every other error is a fault of ralphctl and exits with 1.
 */
export class UserError extends Error {
  readonly exitCode: ExitCode;
  /** The command or edit that fixes it, where the class knows it; it also stands in the message. */
  readonly fix: string | undefined;

  /** @param message one or more sentences that name what happened, where, and the fix */
  constructor(message: string, exitCode: ExitCode = EXIT.usage, fix?: string) {
    super(message);
    this.name = new.target.name;
    this.exitCode = exitCode;
    this.fix = fix;
  }

  /** Beside message, exit code and fix in the output of `--json`. */
  get details(): Readonly<Record<string, unknown>> {
    return {};
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
  /** The run ended with ideas that did not land, or with landed work that the remote lacks (`landing.mode: push`). */
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
  /** Nobody reads the output any more: what a shell shows for SIGPIPE. */
  closedPipe: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
