/** A gate command, ready to run. Must import nothing. */
export interface GateCommand {
  name: string;
  /** A string goes to `/bin/sh -c`; a list is run as it is. */
  run: string | readonly string[];
  timeoutMs: number;
  /** Globs of JUnit XML files below the worktree. */
  reports: readonly string[];
}
