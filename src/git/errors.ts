/** Repository states that only a person can fix. Must not start git. */
import { UserError } from '../protocol/user-error.js';

/** `message` is one sentence that says what and where; `fix` is the command or edit that fixes it. */
export class RepositoryError extends UserError {
  constructor(
    readonly problem: string,
    override readonly fix: string,
    /** What a program said, where it may tell more. */
    { cause }: { cause?: unknown } = {},
  ) {
    super(`${problem} ${fix}`, undefined, fix);
    if (cause !== undefined) this.cause = cause;
  }
}

/**
 * A filter of the repository (git-lfs, git-crypt …) whose program is missing or fails. Without it git can neither read
 * nor check out its files. `stderr` in English.
 */
export function filterProblem(dir: string, stderr: string): RepositoryError | undefined {
  const name = /(?:clean|smudge) filter '?([^\s']+)'? failed/.exec(stderr)?.[1];
  if (name === undefined) return undefined;
  const said = stderr.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
  const install = name === 'lfs' ? 'Install it: https://git-lfs.com, then: git lfs install' : 'Install its program';
  return new RepositoryError(
    `git cannot handle the files of ${dir}: its filter ${name} fails (${said}).`,
    `${install}; or do without it: git config filter.${name}.required false`,
  );
}
