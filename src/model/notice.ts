/** A problem beside the run that a screen shows until it is over, e.g. a checkout that lags behind the target. */
export interface Notice {
  /** What happened and the command that fixes it, whole. */
  text: string;
  /** The same for one line, the longest first; each has its command whole. Empty: only in the list of warnings. */
  short: readonly string[];
  since: number;
}
