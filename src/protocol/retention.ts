/**
 * How long ralphctl keeps what it wrote, and what a cleaning removed.
 * Must not import anything.
 */

/** Days, or no limit. */
export type Days = number | 'never';

export interface Retention {
  automatic: boolean;
  keepDays: number;
  transcriptDays: Days;
  gateLogDays: Days;
  runDays: Days;
  worktreeDays: Days;
  saveDays: Days;
  unlandedSaveDays: Days;
  goneProjectDays: Days;
  serverHistoryDays: number;
  /** Of the runs of the project. */
  maxMegabytes: number | 'never';
  /** Of the whole state folder: `status` tells when it is larger. */
  warnMegabytes: number | 'never';
}

/** The parts of a run that go; its pinned files, summary and report stay. */
export type RunPart = 'transcripts' | 'gateLogs' | 'events';

export type CleanedWhat = RunPart | 'gates' | 'restored' | 'worktree' | 'kept' | 'save' | 'project' | 'leftover';

export interface CleanedItem {
  what: CleanedWhat;
  /** Id of a run, path of a worktree, ref of a save, or name of a project. */
  name: string;
  /** 0 for saves: their space returns with `git gc`. */
  bytes: number;
  why: string;
  /** Of a save: its commit, which git has until it collects garbage. */
  commit?: string;
}

/** start, end: of a run, by itself. */
export type CleanMoment = 'command' | 'start' | 'end';

export interface Cleaned {
  items: CleanedItem[];
  bytes: number;
  /** What stays although it is old, or cannot be cleaned: sentences. */
  stays: string[];
  /** The time was up; the next cleaning goes on. */
  more?: true;
}
