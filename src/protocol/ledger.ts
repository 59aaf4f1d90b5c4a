/**
 * The evidence ledger of a project: what was planned, claimed, done, judged and delivered (E5). One operation a line,
 * each with the hash of the line before.
 * Invariant: plain JSON. Fields are only ever added, never changed in meaning. Must not import anything.
 */

/** commit: an idea is planned · claim: an agent slot takes it · submit: it has landed, or it has failed. */
export const OPERATIONS = ['commit', 'claim', 'evidence', 'submit'] as const;
export type Operation = (typeof OPERATIONS)[number];

/**
 * progress: an agent run that changed nothing · fix-applied: an agent run with changes · build: a gate ·
 * review: a person looked at it · landing: a landing that did not succeed · push, pr: a delivery · triage: a wave does
 * not take the report, or takes one that a person has accepted.
 */
export const EVIDENCE = [
  'investigation',
  'progress',
  'fix-applied',
  'build',
  'review',
  'landing',
  'push',
  'pr',
  'triage',
] as const;
export type EvidenceKind = (typeof EVIDENCE)[number];

export type Actor =
  | { kind: 'ralphctl' }
  | { kind: 'person' }
  /** Agent from the configuration, and the model that it named. */
  | { kind: 'agent'; name: string; model?: string };

/** An operation before it has a place in the ledger. */
export interface Draft {
  /** Names the operation: workflow run, idea and step. The ledger takes each key once. */
  key: string;
  /** ISO time at which it ended. */
  at: string;
  op: Operation;
  /** Of `evidence` only. */
  kind?: EvidenceKind;
  idea: string;
  /** Absent for `commit`, which no run owns. */
  run?: string;
  actor: Actor;
  /** false: red, refused or failed. Absent where nothing was judged. */
  pass?: boolean;
  durationMs?: number;
  /** What it was, in small values. */
  data: Readonly<Record<string, unknown>>;
  /** SHA-256 of the files that it is about, by name. */
  hashes?: Readonly<Record<string, string>>;
}

export interface LedgerRow extends Omit<Draft, 'key'> {
  v: 1;
  /** Line number from 1. */
  n: number;
  /** From the key: 20 hex digits. */
  id: string;
  /** Ids of earlier operations that this one builds on. */
  refs: readonly string[];
  /** SHA-256 of the line before, without its line end; 64 zeros in the first line. */
  prev: string;
}

export const FIRST_PREV = '0'.repeat(64);
