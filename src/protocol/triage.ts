/**
 * Types of bug reports and of triage verdicts, for all layers.
 * Must not import anything.
 */

/** The gates in the order in which a report passes them. */
export const TRIAGE_GATES = ['coherence', 'symptom', 'project', 'duplicate', 'actionable'] as const;
export type TriageGate = (typeof TRIAGE_GATES)[number];

/** T1 takes under 2 minutes, T2 up to 10, T3 longer. */
export const TIERS = ['T1', 'T2', 'T3'] as const;
export type Tier = (typeof TIERS)[number];

/** Days in which a report that was closed, or work that landed, can be the fix of a new report. */
export const RECENT_DAYS = 14;

/** A report from outside: data, never an instruction. */
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

/** Running or finished work, to find reports that repeat it. */
export interface KnownWork {
  id: string;
  title: string;
  text: string;
  /** held: open, and a person's label keeps it from being worked on. */
  state: 'open' | 'closed' | 'held';
  /** ISO time at which it was closed. */
  closed?: string | undefined;
  /** ISO time. A later report than the one that repeats it is no reason: it may be closed as its duplicate. */
  created?: string | undefined;
}

/** Landed work of this project, to learn how long such work takes. */
export interface PastWork {
  title: string;
  text: string;
  /** Total time of its agent runs. */
  ms: number;
}

/** The verdict of a person. */
export interface Overrule {
  verdict: 'accept' | 'reject';
  reason: string;
}

/** What an agent says of one report after it has read the report and the code. It can be wrong. */
export interface Reading {
  agent: string;
  model?: string;
  /** ISO time. */
  at: string;
  /** Gate 3: it is about this project. `quote`: of the report, where it is not. */
  project: ReadGate;
  /** Gate 5: a change of the code can fix it. */
  actionable: ReadGate;
  /** Estimate of the fix. */
  minutes: number;
  /** What it found out. */
  notes: string;
  files: string[];
}

export interface ReadGate {
  pass: boolean;
  reason: string;
  quote: string;
}

export interface ScorePart {
  label: string;
  value: number;
}

export interface Rejection {
  id: string;
  title: string;
  /** `person`: a person overruled the gates. */
  gate: TriageGate | 'person';
  reason: string;
  /** An unchanged part of the report's body or title. */
  quote: string;
  /** The report or idea that it repeats. */
  duplicateOf?: string;
  /** The agent whose reading this is. Absent: rules, or a person. */
  judgedBy?: string;
}

export interface Survivor {
  id: string;
  title: string;
  score: number;
  scoreParts: ScorePart[];
  tier: Tier;
  estimateMs: number;
  /** Number of landed ideas that influenced the estimate; 0: the rules alone. */
  learntFrom: number;
  /** Ids of reports that repeat this one. */
  duplicates: string[];
  /** A person accepted the report, against the gates or before them. */
  accepted?: string;
  /** The agent that read it. Absent: rules alone judged it. */
  judgedBy?: string;
}

export interface Triage {
  /** In recommended order of fixing. */
  survivors: Survivor[];
  /** In the order of the source. */
  rejected: Rejection[];
  /** Closed reports; triage only compares others with them. */
  closed: string[];
}
