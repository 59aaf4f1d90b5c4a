/** The commands that `init` found: for the gate, and for set-up. Must import types only. */

export interface Command {
  run: string;
  /** File that names the command. */
  from: string;
}

export interface Candidate extends Command {
  /** Programs that the command needs on PATH; not those that set-up brings. */
  needs: readonly string[];
  /** Folder in which it runs, relative to the project, e.g. `../..`; absent for the project's own. */
  within?: string;
}

/** The commands that the files of one kind of project name. */
export interface Candidates {
  gate: Candidate[];
  setup?: Candidate;
}

export interface Proposal {
  gate: Command[];
  setup?: Command;
  /** Commands of the project that `init` does not propose, because a program is not installed. */
  missing: (Command & { program: string })[];
}

export type Read = (file: string) => Promise<string | undefined>;
export const NOTHING: Candidates = { gate: [] };
