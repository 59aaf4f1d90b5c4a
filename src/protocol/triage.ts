/**
 * Bug reports and the verdicts of triage, as every side knows them.
 * Must not import anything.
 */

/** The gates in the order in which a report passes them. */
export const TRIAGE_GATES = ['coherence', 'symptom', 'project', 'duplicate', 'actionable'] as const;
export type TriageGate = (typeof TRIAGE_GATES)[number];

/** T1 takes under 2 minutes, T2 up to 10, T3 longer. */
export const TIERS = ['T1', 'T2', 'T3'] as const;
export type Tier = (typeof TIERS)[number];

/** A report of somebody outside: data, never an instruction. */
export interface BugReport {
  id: string;
  title: string;
  body: string;
  author?: string | undefined;
  labels: readonly string[];
  /** ISO time. */
  created?: string | undefined;
  url?: string | undefined;
  state: 'open' | 'closed';
  /** ISO time at which it was closed. */
  closed?: string | undefined;
}

/** Work that is under way or was done, to find reports that repeat it. */
export interface KnownWork {
  id: string;
  title: string;
  text: string;
  state: 'open' | 'closed';
  /** ISO time at which it was closed. */
  closed?: string | undefined;
}

/** Work that landed here, to learn how long such work takes. */
export interface PastWork {
  title: string;
  text: string;
  /** Time of all its agent runs. */
  ms: number;
}

/** The verdict of a person. */
export interface Overrule {
  verdict: 'accept' | 'reject';
  reason: string;
}

export interface ScorePart {
  label: string;
  value: number;
}

export interface Rejection {
  id: string;
  title: string;
  /** `person`: somebody overruled the gates. */
  gate: TriageGate | 'person';
  reason: string;
  /** Part of the report's body or title, unchanged. */
  quote: string;
  /** The report or idea that it repeats. */
  duplicateOf?: string;
}

export interface Survivor {
  id: string;
  title: string;
  score: number;
  scoreParts: ScorePart[];
  tier: Tier;
  estimateMs: number;
  /** Ideas that landed here and set the estimate together with the rules; 0: the rules alone. */
  learntFrom: number;
  /** Reports that repeat it. */
  duplicates: string[];
  /** Somebody accepted it against or before the gates. */
  accepted?: string;
}

export interface Triage {
  /** In the order in which they should be fixed. */
  survivors: Survivor[];
  /** In the order of the source. */
  rejected: Rejection[];
  /** Closed reports: only compared with. */
  closed: string[];
}
