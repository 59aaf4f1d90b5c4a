/** What `init` found that a project can be checked with, and made ready with. Must not import anything but types. */

export interface Command {
  run: string;
  /** File that names it. */
  from: string;
}

export interface Candidate extends Command {
  /** Programs that must be on PATH for it. */
  needs: readonly string[];
  /** Folder that it runs in, from the project's, where that is another: `../..`. */
  within?: string;
}

/** What the files of one kind of project name. */
export interface Candidates {
  gate: Candidate[];
  setup?: Candidate;
}

export interface Proposal {
  gate: Command[];
  setup?: Command;
  /** Named by the project, and not proposed because a program is not installed. */
  missing: (Command & { program: string })[];
}

export type Read = (file: string) => Promise<string | undefined>;
export const NOTHING: Candidates = { gate: [] };
