/** A worktree that could not be set up. */
export class SetupError extends Error {
  override name = 'SetupError';
  constructor(
    message: string,
    /** End of the command's output, plain text. */
    readonly tail = '',
    /** File with all of it. */
    readonly log?: string,
  ) {
    super(message);
  }
}
