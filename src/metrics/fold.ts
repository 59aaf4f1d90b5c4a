/**
 * Counts the events of a run for Prometheus, and builds its model on the way.
 * Invariant: what it has counted follows from the events and the usage record alone, so a worker that is restarted
 * counts the same; no counter ever shrinks. A repeated, unknown or damaged event never throws. May import protocol, the
 * model and the use of slots only.
 */
import { fold } from '../model/fold.js';
import type { RunModel } from '../model/model.js';
import type { StampedEvent } from '../protocol/events.js';
import { WORKER_LOST } from '../protocol/failures.js';
import { isNoGate } from '../protocol/gate.js';
import type { AccountLine } from '../protocol/limits.js';
import type { IdeaStatus } from '../protocol/states.js';
import { staysLanded } from '../protocol/taken-off.js';
import { type EmptyReason, SlotUse } from '../report/slot-use.js';
import type { CounterName, HistogramName, SlotUseName } from './list.js';
import { AGENT_ERRORS, AGENT_OUTCOMES, type ERRORS, type ITERATION_OUTCOMES } from './list.js';

/** Where the counts go. */
export interface Counting {
  add(name: CounterName, labels: Record<string, string>, by?: number): void;
  observe(name: HistogramName, labels: Record<string, string>, seconds: number): void;
  /** Series of this agent begin at 0. */
  agent(name: string): void;
}

type Of<Kind extends StampedEvent['kind']> = Extract<StampedEvent, { kind: Kind }>;

export class MetricsFold {
  readonly slots = new SlotUse();
  readonly model: RunModel;
  /** Agents whose account is or was closed, by agent and kind. */
  readonly troubles = new Map<string, { agent: string; kind: string }>();
  readonly #to: Counting;
  /** Agent runs that have been counted. */
  readonly #ended = new Set<string>();
  readonly #used = new Set<string>();
  /** By idea: since when it waits, or lands; epoch ms. */
  readonly #queued = new Map<string, number>();
  readonly #landing = new Map<string, number>();
  readonly #wants = new Map<string, number>();
  /** By idea: its last gate. */
  readonly #gates = new Map<string, string>();
  readonly #slotTime = new Map<SlotUseName, number>();

  constructor(model: RunModel, to: Counting) {
    this.model = model;
    this.#to = to;
  }

  take(event: StampedEvent): void {
    const at = Date.parse(event.at);
    if (Number.isNaN(at)) return;
    const id = 'idea' in event && typeof event.idea === 'string' ? event.idea : '';
    const before = this.model.ideas.get(id)?.status;
    const closed = event.kind === 'account' ? isClosed(this.model, event.account.key) : false;
    fold(this.model, event);
    this.slots.take(event, this.model);
    this.#queue(id, at);
    switch (event.kind) {
      case 'idea':
        if (event.status !== before && !staysLanded(event)) this.#status(event, at);
        return;
      case 'iteration':
        this.#to.agent(event.agent ?? this.#agentOf(id));
        return;
      case 'iteration-end':
        this.#iteration(event);
        return;
      case 'interrupted':
        this.#interrupted(id);
        return;
      case 'gate':
        this.#gate(event);
        return;
      case 'landing':
        this.#waited('landing', this.#queued, id, at);
        if (!this.#landing.has(id)) this.#landing.set(id, at);
        return;
      case 'bounced':
        this.#landed(id, 'bounced', at);
        this.#error(event.why.startsWith('it conflicts') ? 'landing-conflict' : 'landing-red');
        return;
      case 'review':
        if (event.state === 'open') this.#landed(id, 'review', at);
        return;
      case 'asks':
        this.#to.add('ralphctl_questions_total', { cause: event.asking });
        return;
      case 'waiting':
        if (event.why === WORKER_LOST) this.#error('worker-lost');
        return;
      case 'account':
        this.#account(event.account, closed);
        return;
      case 'push':
        this.#to.add('ralphctl_pushes_total', { state: event.state });
        if (event.state === 'held') this.#error('push');
        return;
      case 'tracker':
        if (event.state === 'failed') this.#error('tracker');
        return;
      case 'alert':
        this.#to.add('ralphctl_alerts_total', { row: event.row, state: event.state });
        if (event.state === 'failed') this.#error('alert');
        return;
      default:
    }
  }

  /** A line of the usage record. `key`: the same for a repeated line. */
  takeRun(key: string, { agent, outcome }: { agent: string; outcome: string }): void {
    if (this.#used.has(key)) return;
    this.#used.add(key);
    this.#to.agent(agent);
    const known = AGENT_OUTCOMES.find((one) => one === outcome) ?? 'other';
    this.#to.add('ralphctl_agent_runs_total', { agent, outcome: known });
    const error = AGENT_ERRORS.find((one) => one === outcome);
    if (error) this.#error(error);
  }

  /** Time of slots since the last call. Only up to the last event: what comes next may say otherwise. */
  countSlotTime(): void {
    const { agentMs, heldMs, empty } = this.slots.certain;
    this.#spend('busy', agentMs);
    this.#spend('held', heldMs);
    for (const [reason, ms] of Object.entries(empty)) this.#spend(useOf(reason as EmptyReason), ms);
  }

  #spend(use: SlotUseName, ms: number): void {
    const more = ms - (this.#slotTime.get(use) ?? 0);
    if (more <= 0) return;
    this.#slotTime.set(use, ms);
    this.#to.add('ralphctl_slot_seconds_total', { use }, more / 1000);
  }

  #error(kind: (typeof ERRORS)[number]): void {
    this.#to.add('ralphctl_errors_total', { kind });
  }

  #agentOf(id: string): string {
    return this.model.ideas.get(id)?.agent ?? 'unknown';
  }

  #queue(id: string, at: number): void {
    if (id === '') return;
    if (!this.model.queue.includes(id)) this.#queued.delete(id);
    else if (!this.#queued.has(id) && this.model.landing !== id) this.#queued.set(id, at);
  }

  #waited(queue: 'landing' | 'slot', since: Map<string, number>, id: string, at: number): void {
    const from = since.get(id);
    since.delete(id);
    if (from !== undefined) this.#to.observe('ralphctl_queue_wait_seconds', { queue }, seconds(at - from));
  }

  #landed(id: string, outcome: 'landed' | 'review' | 'bounced', at: number): void {
    const from = this.#landing.get(id);
    this.#landing.delete(id);
    if (from !== undefined) this.#to.observe('ralphctl_landing_duration_seconds', { outcome }, seconds(at - from));
  }

  #status({ idea, status }: Of<'idea'>, at: number): void {
    if (status === 'wants-slot') this.#wants.set(idea, at);
    else if (status === 'running') this.#waited('slot', this.#wants, idea, at);
    else this.#wants.delete(idea);
    if (status === 'landed') this.#landed(idea, 'landed', at);
    // A landing that a stop cut off; the event of one that bounced may follow.
    if (status === 'landing') this.#landing.delete(idea);
    if (CLOSED.has(status)) this.#to.add('ralphctl_ideas_closed_total', { status });
    const error = FAILED[status];
    if (error) this.#error(error);
  }

  #iteration(event: Of<'iteration-end'>): void {
    const { idea, serial, durationMs, usage, unused } = event;
    const key = `${idea}/${serial}`;
    if (this.#ended.has(key)) return;
    this.#ended.add(key);
    const agent = event.agent ?? this.#agentOf(idea);
    this.#to.agent(agent);
    this.#to.add('ralphctl_iterations_total', { agent, outcome: outcomeOf(event) });
    this.#to.observe('ralphctl_iteration_duration_seconds', { agent }, seconds(durationMs));
    const tokens = (direction: string, count: number): void =>
      this.#to.add('ralphctl_agent_tokens_total', { agent, direction }, Math.max(0, count));
    tokens('input', usage?.inputTokens ?? 0);
    tokens('output', usage?.outputTokens ?? 0);
    this.#to.add('ralphctl_agent_cost_dollars_total', { agent }, Math.max(0, usage?.costUsd ?? 0));
    const unknown = (what: string): void => this.#to.add('ralphctl_agent_unreported_total', { agent, what });
    if (unused) return;
    if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) unknown('tokens');
    if (usage?.costUsd === undefined) unknown('cost');
  }

  #interrupted(id: string): void {
    const last = this.model.ideas.get(id)?.iterations.at(-1);
    const key = `${id}/${last?.serial}`;
    if (last?.outcome !== 'interrupted' || this.#ended.has(key)) return;
    this.#ended.add(key);
    this.#to.add('ralphctl_iterations_total', { agent: last.agent ?? this.#agentOf(id), outcome: 'interrupted' });
  }

  #account({ agents, state, kind }: AccountLine, before: boolean): void {
    if (state === 'open' || kind === undefined) return;
    for (const agent of agents) this.troubles.set(`${agent} ${kind}`, { agent, kind });
    if (!before) this.#to.add('ralphctl_account_closings_total', { kind });
  }

  #gate(event: Of<'gate'>): void {
    const { idea, merged, pass, durationMs, commands = [], log, same } = event;
    const key = JSON.stringify([merged, pass, durationMs, log, same]);
    if (this.#gates.get(idea) === key || isNoGate(event)) return;
    this.#gates.set(idea, key);
    if (same !== undefined) {
      this.#to.add('ralphctl_gates_reused_total', {});
      return;
    }
    const labels = { tree: merged ? 'merged' : 'idea', result: pass ? 'green' : 'red' };
    this.#to.observe('ralphctl_gate_duration_seconds', labels, seconds(durationMs));
    for (const { waitedMs } of commands)
      if (waitedMs !== undefined)
        this.#to.observe('ralphctl_queue_wait_seconds', { queue: 'gate_lock' }, seconds(waitedMs));
  }
}

const seconds = (ms: number): number => Math.max(0, ms) / 1000;

const CLOSED = new Set<IdeaStatus>(['landed', 'blocked', 'timeout', 'failed', 'skipped', 'abandoned']);
const FAILED: Partial<Record<IdeaStatus, (typeof ERRORS)[number]>> = {
  ...{ failed: 'idea-failed', timeout: 'idea-timeout', blocked: 'idea-blocked' },
};

function isClosed({ accounts }: RunModel, key: string): boolean {
  const state = accounts.get(key)?.state;
  return state !== undefined && state !== 'open';
}

function outcomeOf({ outcome, signal, turnedDown }: Of<'iteration-end'>): (typeof ITERATION_OUTCOMES)[number] {
  if (outcome !== 'ok') return outcome;
  if (signal.kind === 'complete') return turnedDown === undefined ? 'complete' : 'turned-down';
  return signal.kind === 'none' ? 'no-signal' : signal.kind;
}

export const useOf = (reason: EmptyReason): SlotUseName =>
  reason === 'no idea left' ? 'empty_no_idea' : `empty_${reason}`;
