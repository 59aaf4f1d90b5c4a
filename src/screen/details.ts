/**
 * Data that views show beside the model: read from files, asked from the worker, or counted by the controller.
 * Invariant: every field may be absent; a view then shows `–` or omits the part. Must import types only.
 */
import type { SinceThen } from '../model/at-end.js';
import type { Gone, IdeaModel, Renamed, RunModel, Said } from '../model/model.js';
import type { ScorePart } from '../protocol/views.js';
import type { WaveSummary } from '../protocol/waves.js';
import type { Colour } from './text/line.js';

/** The reason that nothing moves although the run is open. Times are epoch ms. */
export type Standstill =
  | { kind: 'no-worker'; since: number }
  /** `where`: a server that ralphctl does not start. */
  | { kind: 'no-server'; since: number; where?: string }
  /** The server has no such run. */
  | { kind: 'gone'; since: number }
  /** The state folder takes no files. */
  | { kind: 'disk'; since: number; text: string; fix: string }
  /** A worker does not answer. `polled`: the last time that it asked for work, where it runs on another host. */
  | { kind: 'busy'; since: number; polled?: number }
  /** The worker ends again and again. `since`: of the first time. */
  | { kind: 'crashing'; since: number; times: number; how: string; error?: string; log: string }
  /** The workflow task fails repeatedly. */
  | { kind: 'failing'; since?: number; tries: number; error: string; log?: string };

/** A line of an agent's stream or of a gate's output. */
export interface StreamLine {
  at?: number;
  text: string;
  /** Continues the line before it. */
  more?: true;
  colour?: Colour;
}

export interface DiffFile {
  path: string;
  added: number;
  deleted: number;
  /** A sentence about findings that a person should look at. */
  look?: string;
}

export interface DiffView {
  base: string;
  files: DiffFile[];
  /** The file that `lines` show, without git's header. */
  file?: string;
  lines?: string[];
}

export interface GateOutput {
  /** Number of lines in the output; `lines` holds the last ones. */
  total: number;
  lines: string[];
  /** Names of failing tests that the output contains. */
  failing?: string[];
}

export interface WhyDetails {
  score: number;
  parts: ScorePart[];
  /** Ready-made sentences. */
  waitsFor: string[];
  /** The open pull request that it is on top of, or can start on, or why it cannot. */
  stack?: string;
  /** Verbs that the run accepts now. */
  possible?: string[];
}

/** About the idea whose page is open, or the selected idea whose question shows. */
export interface IdeaDetails {
  id: string;
  /** What people said in the runs before it, oldest first. */
  saidBefore?: readonly { runId: string; said: readonly Said[] }[];
  /** The older run that they are about; absent: the run of the screen. */
  ofRun?: string;
  /** Serial of the agent run that the fields below are about. Absent: the idea has no agent run. */
  serial?: number;
  stream?: StreamLine[];
  /** Last lines that the agent printed, for an agent run without a stream. */
  output?: string[];
  /** Of the shown agent run. */
  toolCalls?: number;
  tokensIn?: number;
  tokensOut?: number;
  dollars?: number;
  filesRead?: number;
  /** epoch ms of its last sign of life. */
  lastSign?: number;
  /** epoch ms of its last commit. */
  lastCommit?: number;
  /** Commits of its branch that the target lacks. */
  ahead?: number;
  /** Compared with the idea's base. */
  changed?: { files: number; added: number; deleted: number };
  /** What git has of its work. `uncommitted`: number of files in its worktree without a commit. */
  left?: { worktree: boolean; branch: boolean; uncommitted?: number };
  diff?: DiffView;
  /** Git did not answer: what is absent may be there. */
  unread?: true;
  gateOutput?: GateOutput;
  /** The gate whose output was looked for, as `gateKey` names it. */
  outputOf?: string;
  why?: WhyDetails;
  /** The agent's words before its question, or before its end. */
  lastWords?: string;
  prompt?: string;
  /** Time limits, ms. */
  iterationLimitMs?: number;
  ideaLimitMs?: number;
  /** The earlier run that landed the idea, and the idea's facts there. */
  before?: { runId: string; startedAt: number; idea: IdeaModel };
  /** The newest earlier run with work on the idea, where the run of the page has none. */
  earlier?: { runId: string; startedAt: number; idea: IdeaModel };
  /** Commands of the gate, in configured order. */
  gateCommands?: string[];
  /** Subject and size of the landing commit. */
  commit?: { subject: string; files: number };
}

export interface HistoryIdea {
  id: string;
  state: 'failed' | 'timed out' | 'blocked' | 'asks' | 'stopped';
  reason: string;
  /** The outcome since then: `not yet`, `landed Wed`. */
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

/** A run of this project; lists are newest first. */
export interface HistoryRun {
  runId: string;
  startedAt: number;
  endedAt?: number;
  /** `no server`, `no worker`: it is open, and nothing moves until one runs again. */
  outcome:
    | 'running'
    | 'no server'
    | 'no worker'
    | 'waits for you'
    | 'paused'
    | 'completed'
    | 'stopped'
    | 'aborted'
    | 'terminated';
  landed?: number;
  notLanded?: number;
  iterations?: number;
  dollars?: number;
  /** Agent runs that did not report it. */
  unknownDollars?: number;
  tokens?: number;
  unknownTokens?: number;
  agents: string[];
  target?: { from: string; to: string; green?: boolean };
  /** The branch on which it landed its ideas, where that is not the target of the newest run. */
  on?: string;
  open?: HistoryIdea[];
  /** How many open ideas are in states that `open` leaves out, such as ready. */
  rest?: Readonly<Record<string, number>>;
  done?: HistoryLanded[];
  /** Ideas that a person skipped or gave up; they are in no other count. */
  leftOut?: number;
  /** Of the landed ideas, those that have left the target since. `decided`: a person has said what comes next. */
  gone?: (Gone & { id: string; decided?: true })[];
  /** What has changed since it ended, for the newest run. */
  since?: SinceThen[];
  /** `flaky`, `mail › sends, in 3 ideas` */
  look?: { what: string; text: string }[];
  /** Of a run with waves. */
  waves?: WaveSummary[];
}

export interface History {
  runs: HistoryRun[];
  /** When it was read; epoch ms. */
  at?: number;
  /** Of the newest run. */
  target?: string;
  /** That target does not exist any more, and another branch has its landings. */
  renamed?: Renamed;
  monthLanded?: number;
  monthDollars?: number;
  /** How many runs are missing, because their files cannot be read. */
  leftOut?: number;
}

export interface Details {
  /** An agent's latest action, by idea. */
  nowOf: ReadonlyMap<string, string>;
  /** Time since an agent's last output, by idea; ms. */
  quietMs: ReadonlyMap<string, number>;
  /** What the agent run that works now has cost so far, by idea. Absent: nobody said. */
  dollarsOf: ReadonlyMap<string, number>;
  /** Set after `limits retry` until the run answers. Absent: no standstill, or an unknown state. */
  standstill?: Standstill;
  idea?: IdeaDetails;
  history?: History;
  /** An older run whose log the screen shows. */
  past?: RunModel;
  /** Id of an older run whose files cannot be read. */
  lost?: string;
  /** Lines of the report of one run, wrapped to the requested width. */
  report?: { runId: string; lines: string[] };
}

export const noDetails = (): Details => ({ nowOf: new Map(), quietMs: new Map(), dollarsOf: new Map() });
