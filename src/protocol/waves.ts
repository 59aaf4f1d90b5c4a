/**
 * Waves (E1, E2): a run that triages its source again and again, and works on the best few each time.
 * Invariant: plain JSON and small; no text of a report but a short quote. Fields are only ever added. Must import types
 * only.
 */
import type { CarriedOver } from './activities.js';
import type { Ceilings, Spent } from './budget.js';
import type { IdeaCard } from './idea.js';
import type { RunRef } from './run-ref.js';
import type { Rejection, Tier } from './triage.js';

/** Absent in a run without waves. */
export interface WaveSettings {
  maxWaves: number;
  /** Ideas of a wave. */
  batchSize: number;
  /** Ask a person before each further wave. */
  confirm?: true;
}

/** Why no further wave begins. */
export type WavesEnd = 'max-waves' | 'no-success' | 'empty' | 'budget';

/** A wave that is over. */
export interface WaveSummary {
  wave: number;
  /** Ideas that an agent worked on. */
  attempted: number;
  /** Landed, or their pull request is open. */
  passed: number;
  failed: number;
  /** Someone else has them in the tracker, or a person took them out. */
  skipped: number;
  /** Of these, the ones that someone else has. Absent: none, or an older version. */
  elsewhere?: number;
  /** They wait for a person, or for another idea. */
  waiting: number;
  /** Wall clock. */
  ms: number;
  /** As far as agents reported it. */
  dollars: number;
}

export interface WaveState {
  /** Number of the present wave, from 1; 0 before the first. */
  wave: number;
  phase: 'between' | 'planning' | 'working' | 'over';
  /** Ideas of the present wave. */
  batch: string[];
  /** When the present wave began, epoch ms, and what the run had cost then. */
  began: number;
  before: number;
  /** Further plans of the present wave: its source could not be read, or its reports waited. Absent: none. */
  again?: number;
  /** Waves that are over, first one first. */
  done: WaveSummary[];
  end?: WavesEnd;
  /** What a person is asked between two waves, until the run goes on. */
  asks?: string;
  /** The question that follows once the run, which is paused for another reason, goes on. */
  unasked?: string;
  /** All reports that are left wait for these ideas. The wave is planned again once one of them has ended. */
  waitsFor?: string[];
  /** The source cannot be read: why, and when it is read again, epoch ms. */
  held?: { why: string; at: number; tries: number };
}

/** Most rejected reports that one plan tells; the ledger has all. The result is part of the workflow's history. */
export const MOST_FRESH = 50;

export interface PlanWaveInput extends RunRef {
  wave: number;
  /** Ideas to take. */
  most: number;
  /** Ideas that the run has already. */
  known: string[];
  /** How many plans of this wave came before it. Absent: none. */
  again?: number;
  /** The most that run and day may use, for an agent that reads reports. */
  ceilings?: Ceilings;
}

/** A report that the wave does not take. `gate`: the one that rejects it; `person`: a verdict of a person. */
export interface WaveRejection
  extends Pick<Rejection, 'title' | 'gate' | 'reason' | 'quote' | 'duplicateOf' | 'judgedBy'> {
  /** Its id in the tracker, and as an idea. */
  report: string;
  as: string;
}

/** What an agent read for a plan. */
export interface WaveReading {
  agent: string;
  /** Reports that it judged. */
  reports: number;
  /** Reports that rules judged in its place, and why. */
  byRules: number;
  why?: string | undefined;
  /** Of its runs, together; none of them is an iteration. */
  spent: Spent;
}

/** Runs whose work triage does not know, because they cannot be read. */
export interface UnknownRuns {
  /** A sentence about the newest one. */
  why: string;
  /** How many others there are. */
  more: number;
}

export interface TakenReport {
  idea: string;
  tier: Tier;
  score: number;
}

export type PlanWaveResult =
  | {
      kind: 'planned';
      cards: IdeaCard[];
      /** What people said about them while no run was open. Absent: nothing. */
      carried?: CarriedOver;
      /** In order. */
      taken: TakenReport[];
      /** Open reports in the source. */
      open: number;
      /** Reports that triage lets through and no wave has taken yet. */
      left: number;
      /** How many triage rejects now. */
      rejected: number;
      /** Of these, the ones that no plan before has named: some of them, cut. The ledger has all. */
      fresh: WaveRejection[];
      /** Reports that the configuration leaves out, e.g. those of strangers. */
      leftOut: number;
      /** Absent: no agent was asked. */
      read?: WaveReading;
      /** Absent: none, or the ideas are a person's own. */
      unknownRuns?: UnknownRuns;
    }
  /** `at`: when the source can be read again, epoch ms. `person`: only a person can fix it. */
  | { kind: 'unreadable'; why: string; at?: number; person?: true };

/** For `status`. */
export interface WavesLine {
  wave: number;
  of: number;
  phase: WaveState['phase'];
  /** Ideas of the present wave, and how many of them are over. */
  batch: number;
  over: number;
  done: WaveSummary[];
  end?: WavesEnd;
  held?: string;
  /** Open ideas that all reports of this wave wait for. */
  waits?: number;
}
