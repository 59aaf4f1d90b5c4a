/**
 * What changes about an idea or a run after the run: on its target, in the backlog, and by people. `model.ts` holds it
 * beside the record. Must not import anything.
 */

/** How landed work left the target. */
export interface Gone {
  /** A sentence without its end. */
  text: string;
  /** Its commit. */
  landed: string;
  /** The commit that took it off; absent: the branch was reset, rewritten or removed. */
  by?: string;
  /** When that commit was made, epoch ms to the second. */
  at?: number;
  /** The files that it took off, where the rest is still there. */
  part?: string[];
  /** Runs the idea again, or queues it; of a part: shows what was taken off; of a lost branch: brings it back. */
  command: string;
  /** The command after it, which starts the next run. */
  start?: string;
  /** The next start runs it by itself: `command` is that start. */
  runs?: true;
  /** No start runs it before a retry. */
  stays?: true;
  /** The branch itself is gone, and with it all that had landed on it. */
  noBranch?: true;
}

/** The target does not exist any more, and another branch has what landed on it: it was renamed, or deleted. */
export interface Renamed {
  /** Absent: no branch has it. */
  branch?: string;
  /** A sentence without its end. */
  text: string;
  /** How to go on, with the commands in it. */
  fix: string;
  commands: string[];
}

/** Commands that wait for the next start. */
export interface KeptForNext {
  /** A person asked for another attempt. */
  queued?: true;
  /** A person asked the next run to leave it out. */
  leftOut?: true;
  /** It was taken off the target, and stays out until a retry. */
  rolledBack?: true;
  /** Somebody closed its pull request, and it stays out until a retry. */
  turnedDown?: true;
  /** A person gave it up after the run. */
  givenUp?: true;
  /** The commands in their command-line form, e.g. `limit b-2 +5`. */
  words: string[];
}

/** The backlog asks for no work on an idea any more: its line is gone, or somebody ticked it. */
export interface LineGone {
  /** The backlog, relative to the repository where it is inside. */
  backlog: string;
  ticked?: true;
}
