/**
 * All metrics of a run. The registry of the worker, docs/metrics.md and the tests of `deploy/` read this list.
 * Invariant: names and units follow Prometheus' conventions, and no label has a value for each idea, run or commit.
 * May import protocol types and the model only.
 */
import { IDEA_STATUSES, WAITS_FOR_YOU } from '../protocol/states.js';

/** A label's values: all of them, whose series begin at 0, or where they come from. */
export type Labels = Readonly<Record<string, readonly string[] | string>>;

const AGENT = 'name in the configuration';

/** Of `ralphctl_slots` and `ralphctl_slot_seconds_total`: the reasons as the report has them. */
export const SLOT_USES = [
  ...(['busy', 'held', 'empty_paused', 'empty_stopping', 'empty_limit'] as const),
  ...(['empty_no_idea', 'empty_order', 'empty_refill'] as const),
] as const;
export type SlotUseName = (typeof SLOT_USES)[number];

const RUN_STATES = [
  ...(['idle', 'running', WAITS_FOR_YOU, 'waiting_user', 'pausing', 'paused', 'stopping'] as const),
  ...(['completed', 'stopped', 'aborted', 'terminated'] as const),
] as const;

export const ITERATION_OUTCOMES = [
  ...(['complete', 'turned-down', 'progress', 'blocked', 'needs-human', 'no-signal'] as const),
  ...(['timeout', 'failed', 'interrupted'] as const),
] as const;

/** What a usage record says of an agent run that did not end well. */
export const AGENT_ERRORS = [
  ...(['timeout', 'transient', 'limited', 'auth', 'config', 'context', 'killed', 'launch', 'agent', 'lost'] as const),
] as const;
export const AGENT_OUTCOMES = ['ok', 'budget', 'cut-off', ...AGENT_ERRORS, 'other'] as const;

export const ERRORS = [
  ...AGENT_ERRORS,
  ...(['worker-lost', 'landing-conflict', 'landing-red', 'push', 'tracker', 'alert'] as const),
  ...(['idea-failed', 'idea-timeout', 'idea-blocked'] as const),
] as const;

const TROUBLES = ['limited', 'provider', 'auth', 'launch'] as const;
const WARNINGS = [
  ...(['stuck', 'iterations', 'budget', 'outside', 'worker', 'errors', 'push', 'target', 'files'] as const),
] as const;
const ASKINGS = [
  ...(['question', 'approval', 'tripwire', 'budget', 'confinement', 'baseline', 'escalation', 'landing'] as const),
  'trouble',
] as const;

const MINUTES = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];
const SECONDS = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const HOURS = [1, 5, 15, 60, 300, 900, 1800, 3600, 14_400, 43_200, 86_400];

const gauge = (help: string, labels: Labels = {}) => ({ type: 'gauge' as const, help, labels });
const counter = (help: string, labels: Labels = {}) => ({ type: 'counter' as const, help, labels });
const histogram = (help: string, buckets: readonly number[], labels: Labels = {}) => ({
  ...{ type: 'histogram' as const, help, labels, buckets },
});

export const METRICS = {
  ralphctl_build_info: gauge('Version of the worker; the value is 1.', { version: 'of ralphctl' }),
  ralphctl_run_files_readable: gauge('1: the files of the newest run could be read. 0: the other metrics are old.'),
  ralphctl_run_state: gauge('1 for the state of the newest run, 0 for the others.', { state: RUN_STATES }),
  ralphctl_run_start_timestamp_seconds: gauge('Start of the newest run.'),
  ralphctl_run_last_event_timestamp_seconds: gauge('Last event of the newest run.'),
  ralphctl_slots: gauge('Slots by their use: busy with an agent, held without one, or empty and why.', {
    use: SLOT_USES,
  }),
  ralphctl_slot_seconds_total: counter('Time of all slots together by their use, up to the last event.', {
    use: SLOT_USES,
  }),
  ralphctl_ideas: gauge('Ideas by status, epics left out.', { status: IDEA_STATUSES }),
  ralphctl_ideas_needing_you: gauge('Ideas that wait for a person: questions, approvals, ideas that did not land.'),
  ralphctl_ideas_closed_total: counter('How often an idea came to a last status. A retry can close it again.', {
    status: ['landed', 'blocked', 'timeout', 'failed', 'skipped', 'abandoned'],
  }),
  ralphctl_questions_total: counter('Questions to a person, by their cause.', { cause: ASKINGS }),
  ralphctl_warnings: gauge('Open warnings of the run and its ideas.', { kind: WARNINGS }),
  ralphctl_iterations_total: counter('Iterations that ended, by what came of them.', {
    ...{ agent: AGENT, outcome: ITERATION_OUTCOMES },
  }),
  ralphctl_iteration_duration_seconds: histogram('How long the agent of an iteration worked.', MINUTES, {
    agent: AGENT,
  }),
  ralphctl_agent_runs_total: counter(
    'Agent runs as the usage record has them: also those of lost attempts, and readings of bug reports.',
    { agent: AGENT, outcome: AGENT_OUTCOMES },
  ),
  ralphctl_agent_tokens_total: counter('Tokens as agents report them.', {
    ...{ agent: AGENT, direction: ['input', 'output'] },
  }),
  ralphctl_agent_cost_dollars_total: counter('US dollars as agents report them.', { agent: AGENT }),
  ralphctl_agent_unreported_total: counter('Agent runs that did not report their tokens or their cost.', {
    ...{ agent: AGENT, what: ['tokens', 'cost'] },
  }),
  ralphctl_account_closed: gauge('1: the account of this agent is closed. 0: it was, and is open again.', {
    ...{ agent: AGENT, kind: TROUBLES },
  }),
  ralphctl_account_reopens_timestamp_seconds: gauge('When a closed account of this agent is tried again by itself.', {
    agent: AGENT,
  }),
  ralphctl_account_closings_total: counter('How often an account was closed.', { kind: TROUBLES }),
  ralphctl_gate_duration_seconds: histogram(
    'Gates that ran: on the branch of an idea, or on the tree that is about to land.',
    SECONDS,
    { tree: ['idea', 'merged'], result: ['green', 'red'] },
  ),
  ralphctl_gates_reused_total: counter('Gates that did not run again, because the same tree was green before.'),
  ralphctl_landing_duration_seconds: histogram(
    'From the begin of a landing to its end. review: the pull request is open.',
    SECONDS,
    { outcome: ['landed', 'review', 'bounced'] },
  ),
  ralphctl_landing_queue_ideas: gauge('Ideas in the landing queue, with the one that lands.'),
  ralphctl_queue_wait_seconds: histogram(
    'Waits for the turn in the landing queue, for a slot after an answer or a gate, and for the locks of a gate command.',
    HOURS,
    { queue: ['landing', 'slot', 'gate_lock'] },
  ),
  ralphctl_pushes_total: counter('Pushes of the target to its remote.', { state: ['pushed', 'held'] }),
  ralphctl_errors_total: counter('Errors by kind.', { kind: ERRORS }),
  ralphctl_alerts_total: counter('Alerts by receiver: a row of `notify.rows`.', {
    ...{ row: 'name of the row', state: ['delivered', 'failed', 'bell'] },
  }),
} as const satisfies Record<string, Metric>;

export interface Metric {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: Labels;
  /** Upper bounds, of a histogram. */
  buckets?: readonly number[];
}

type Named<Type> = {
  [Name in keyof typeof METRICS]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[keyof typeof METRICS];

export type CounterName = Named<'counter'>;
export type GaugeName = Named<'gauge'>;
export type HistogramName = Named<'histogram'>;
