/**
 * The known facts of a run and its ideas as plain JSON: in `summary.json`, and in `status --json` during the run.
 * Invariant: facts only, times are epoch ms, and an absent field is unknown. New versions only add fields. May import
 * protocol and the files beside it only.
 */
import type { RunSummary } from '../protocol/run.js';
import type { GateRun, IdeaModel, Iteration, RunModel, Said, Tally } from './model.js';
import { branchSize } from './tally.js';

/** Omits empty lists. */
type GateFacts = Pick<GateRun, 'at' | 'pass' | 'durationMs' | 'commands'> & Partial<GateRun>;
type AgentRunFacts = Omit<Iteration, 'gate'> & { gate?: GateFacts };

type Same =
  | 'title'
  | 'status'
  | 'since'
  | 'reason'
  | 'asking'
  | 'question'
  | 'startedAt'
  | 'agentName'
  | 'agent'
  | 'model'
  | 'max'
  | 'step'
  | 'percent'
  | 'gateNow'
  | 'activity'
  | 'restAsked'
  | 'commits'
  | 'retries'
  | 'bounces'
  | 'base'
  | 'commit'
  | 'merged'
  | 'spent'
  | 'waits'
  | 'backsOff';

export interface IdeaFacts extends Pick<IdeaModel, Same> {
  idea: string;
  held?: true;
  approval?: true;
  /** The last signal of its agent. */
  signal?: Iteration['signal'];
  /** The agent's last words, or its words before the question when it asks. */
  words?: string;
  stepsSkipped?: string[];
  stepsFailed?: string[];
  /** The last gate on its branch, and the last one on the merged tree. */
  gate?: GateFacts;
  mergedGate?: GateFacts;
  said?: Said[];
  /** Each takeover by another agent, with its reason. */
  switched?: { at: number; text: string }[];
  runs: AgentRunFacts[];
}

export interface RunFacts {
  startedAt?: number;
  /** Start of its state. */
  since?: number;
  mode: RunModel['mode'];
  slots?: number;
  spent: Tally;
  conflicts: number;
  /** Periods in which an account was closed. `to` is absent while it still is. */
  limits: RunModel['limits'];
  warnings?: RunModel['warnings'];
}

/** A landing of the run, by its commits: what git says of them may change later. */
export interface LandingFacts {
  idea: string;
  /** As its event names it. */
  commit: string;
  added: number;
  deleted: number;
  commits: number;
  /** Its first commit, the commit before that, and its last. */
  first: string;
  before?: string;
  to: string;
}

/** `summary.json`; files of older versions have fewer fields. */
export interface SummaryFile extends RunSummary {
  run?: RunFacts;
  /** Ideas with events in this run, in backlog order. */
  ideas?: IdeaFacts[];
  landings?: LandingFacts[];
}

const some = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);

/** Drops unknown fields. */
const known = <T extends object>(from: T): { [Name in keyof T]: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as never;

function gateFacts(gate: GateRun | undefined): GateFacts | undefined {
  if (!gate) return undefined;
  const { newTests, knownTests, flaky, tolerated, tripwires, ...rest } = gate;
  const lists = { newTests, knownTests, flaky, tolerated, tripwires };
  return { ...rest, ...known(Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, some(list)]))) };
}

function agentRun({ gate, ...run }: Iteration): AgentRunFacts {
  const facts = gateFacts(gate);
  return facts ? { ...run, gate: facts } : run;
}

export function ideaFacts(idea: IdeaModel): IdeaFacts {
  const { id, title, status, iterations, commits, retries, bounces, spent } = idea;
  const { since, reason, asking, question, startedAt, agentName, agent, model, max, step, percent } = idea;
  const { gateNow, activity, restAsked, base, commit, merged, waits, backsOff, held, approval } = idea;
  const last = iterations.at(-1);
  const switched = idea.moments.filter(({ kind }) => kind === 'agent').map(({ at, text }) => ({ at, text }));
  return {
    ...{ idea: id, title, status },
    ...known({ since, reason, asking, question, startedAt, agentName, agent, model, max, step, percent }),
    ...known({
      gateNow,
      activity,
      restAsked,
      base,
      commit,
      merged,
      waits,
      backsOff,
      held: held || undefined,
      approval: approval || undefined,
    }),
    ...known({ signal: last?.signal, words: last?.words }),
    ...known({ stepsSkipped: some(idea.stepsSkipped), stepsFailed: some(idea.stepsFailed) }),
    ...known({ gate: gateFacts(idea.gate), mergedGate: gateFacts(idea.mergedGate) }),
    ...known({ said: some(idea.said), switched: some(switched) }),
    ...{ commits, retries, bounces, spent, runs: iterations.map(agentRun) },
  };
}

/** `size`: commits of its branch, as git counts them. */
export function withSize(facts: IdeaFacts, size?: (idea: string) => number | undefined): IdeaFacts {
  if (facts.status === 'landed') return facts;
  return { ...facts, commits: branchSize(facts, size?.(facts.idea)) };
}

export function runFacts(model: RunModel): RunFacts {
  const { startedAt, since, mode, slots, spent, conflicts, limits, warnings } = model;
  return { ...known({ startedAt, since, slots, warnings: some(warnings) }), mode, spent, conflicts, limits };
}

/** The newest landing of each idea in this run, by its commit: also of what a person took back since. */
export const landingsOf = ({ ideas }: Pick<RunModel, 'ideas'>): Map<string, string> =>
  new Map(
    [...ideas.values()].flatMap(({ id, landedAs, commit, landedBefore, status }) => {
      const own = landedAs?.commit ?? (status === 'landed' && !landedBefore ? commit : undefined);
      return own === undefined ? [] : [[id, own] as const];
    }),
  );

/** Ideas that an event names. */
export const toldIdeas = ({ order, ideas }: RunModel): IdeaModel[] =>
  order.flatMap((id) => {
    const idea = ideas.get(id);
    return idea && idea.since !== undefined ? [idea] : [];
  });
