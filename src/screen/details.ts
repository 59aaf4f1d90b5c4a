/**
 * What views show beside the model: read from files, asked from the worker, or counted by the controller.
 * Invariant: everything may be absent; a view says `–` or leaves the part out then. Must import types only.
 */
import type { IdeaModel, RunModel } from '../model/model.js';
import type { ScorePart } from '../protocol/views.js';
import type { Colour } from './line.js';

/** Why nothing moves although the run is open. Times are epoch ms. */
export type Standstill =
  | { kind: 'no-worker'; since: number }
  | { kind: 'no-server'; since: number }
  /** A worker runs and does not answer. */
  | { kind: 'busy'; since: number }
  /** The workflow task fails again and again. */
  | { kind: 'failing'; since: number; tries: number; error: string; log?: string };

/** A line of an agent's stream or of a gate's output. */
export interface StreamLine {
  at?: number;
  text: string;
  /** Under the line before it. */
  more?: true;
  colour?: Colour;
}

export interface DiffFile {
  path: string;
  added: number;
  deleted: number;
  /** What a person should look at, in words. */
  look?: string;
}

export interface DiffView {
  base: string;
  files: DiffFile[];
  /** The file whose lines are here, without the header of git. */
  file?: string;
  lines?: string[];
}

export interface GateOutput {
  /** All lines of the output, of which `lines` are the last. */
  total: number;
  lines: string[];
  /** Names of failing tests, as far as the output tells them. */
  failing?: string[];
}

export interface WhyDetails {
  score: number;
  parts: ScorePart[];
  /** In words. */
  waitsFor: string[];
  /** Verbs that the run would take now. */
  possible?: string[];
}

/** Of the idea whose page is open, or which is selected where its question shows. */
export interface IdeaDetails {
  id: string;
  stream?: StreamLine[];
  /** Of the agent run that is shown. */
  toolCalls?: number;
  tokensIn?: number;
  tokensOut?: number;
  filesRead?: number;
  /** epoch ms of its last sign of life. */
  lastSign?: number;
  /** epoch ms of its last commit. */
  lastCommit?: number;
  /** Against where the idea began. */
  changed?: { files: number; added: number; deleted: number };
  /** Files in its worktree that are in no commit. */
  uncommitted?: number;
  diff?: DiffView;
  gateOutput?: GateOutput;
  why?: WhyDetails;
  /** The agent's words before it asked, or before it ended. */
  lastWords?: string;
  prompt?: string;
  /** Limits of time, ms. */
  iterationLimitMs?: number;
  ideaLimitMs?: number;
  /** The run that landed it before this one began, and what happened there. */
  before?: { runId: string; startedAt: number; idea: IdeaModel };
  /** Commands of the gate, in their order. */
  gateCommands?: string[];
  /** Subject and size of the commit that landed. */
  commit?: { subject: string; files: number };
}

export interface HistoryIdea {
  id: string;
  state: 'failed' | 'timed out' | 'blocked' | 'asks';
  reason: string;
  /** What came of it since: `not yet`, `landed Wed`. */
  since: string;
}

export interface HistoryLanded {
  id: string;
  iterations: number;
  ms: number;
  dollars?: number;
  added?: number;
  deleted?: number;
}

/** A run of this project, newest first. */
export interface HistoryRun {
  runId: string;
  startedAt: number;
  endedAt?: number;
  outcome: 'running' | 'waits for you' | 'paused' | 'completed' | 'stopped' | 'aborted' | 'terminated';
  landed?: number;
  notLanded?: number;
  iterations?: number;
  dollars?: number;
  agents: string[];
  target?: { from: string; to: string; green?: boolean };
  open?: HistoryIdea[];
  done?: HistoryLanded[];
  /** `flaky`, `mail › sends, in 3 ideas` */
  look?: { what: string; text: string }[];
}

export interface History {
  runs: HistoryRun[];
  monthLanded?: number;
  monthDollars?: number;
}

export interface Details {
  /** An agent's last act, by idea. */
  nowOf: ReadonlyMap<string, string>;
  /** How long an agent has said nothing, by idea; ms. */
  quietMs: ReadonlyMap<string, number>;
  /** Set from `limits retry` on until the run answers; absent: all is well, or nobody knows. */
  standstill?: Standstill;
  idea?: IdeaDetails;
  history?: History;
  /** An older run whose log is shown. */
  past?: RunModel;
  /** Lines of the report, wrapped to the width that was asked for. */
  report?: string[];
  /** Keys of accounts and the agent that took over. */
  tookOver?: ReadonlyMap<string, string>;
}

export const noDetails = (): Details => ({ nowOf: new Map(), quietMs: new Map() });
