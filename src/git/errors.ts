/** Repository states that only a person can mend. Must not start git. */

/** `message` is one sentence that says what and where; `fix` is the command or edit that mends it. */
export class RepositoryError extends Error {
  override name = 'RepositoryError';
  constructor(
    readonly problem: string,
    readonly fix: string,
  ) {
    super(`${problem} ${fix}`);
  }
}
