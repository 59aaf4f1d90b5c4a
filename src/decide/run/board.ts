/**
 * The ideas of a run with their statuses, and the indexes that follow from them: open ideas, running ideas, held slots.
 * Invariant: a status changes only through `set`, a slot only through `takeSlot` and `freeSlot`. Everything but `state`
 * is derived, and the constructor rebuilds it, so that a run can continue as new.
 * May import protocol and decide only.
 */

import type { CarriedOver } from '../../protocol/activities.js';
import type { Teller } from '../../protocol/command.js';
import { type IdeaCard, MAX_CARD_TITLE } from '../../protocol/idea.js';
import type { AgentsInfo } from '../../protocol/limits.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { splitReason } from '../../protocol/split.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { AccountBreakers } from '../accounts/breaker.js';
import { addSpent, nothingSpent } from '../budget/amounts.js';
import { holdsWorkflow } from '../idea/table.js';
import { Graph } from '../scheduler/graph.js';
import { ReadyPool } from '../scheduler/ready.js';
import { Slots } from '../scheduler/slots.js';
import { clip, MAX_REASON } from '../text.js';
import { addStats, groupStatus, groupText } from '../views/survey.js';
import { Answers } from './answers.js';
import type { Effect } from './effects.js';
import { firstEntry } from './first-state.js';
import { ALL_RULES, type Rules } from './rules.js';

/** An accepted or refused command, for the events of the run. */
export interface Told {
  verb: string;
  idea?: string;
  reason?: string;
  /** Of `hint` and `answer`. */
  text?: string;
  by?: Teller;
  done?: string;
  refusal?: string;
}

/** Accounts that both name. */
const known = (before: AgentsInfo, now: AgentsInfo): Record<string, string> =>
  Object.fromEntries(Object.entries(before.accounts).filter(([agent]) => agent in now.accounts));

/** An open idea of an earlier run that is told to end, and why this run does not work on it. */
export interface EndedHere {
  idea: string;
  why: string;
}

export class Board {
  readonly state: AutopilotState;
  settings: RunSettings;
  graph: Graph;
  pool: ReadyPool;
  /** Absent in runs of a version without accounts. */
  breakers: AccountBreakers | undefined;
  readonly slots = new Slots();
  /** Messages that events caused; handed out by the next `decide`. */
  outbox: Effect[] = [];
  /** Status changes since they were last taken, for those who watch. */
  readonly changes: IdeaEntry[] = [];
  /** The changes of status among them, and approved landings, for alerts. */
  readonly turns: IdeaEntry[] = [];
  readonly #open = new Set<string>();
  readonly #running = new Set<string>();
  readonly #gating = new Set<string>();
  readonly #returning = new Set<string>();
  /** Commands and their effects since the last read. */
  readonly told: Told[] = [];
  /** Told to end since the last call of `takeEnded`: open ideas of an earlier run. */
  readonly endedHere: EndedHere[] = [];
  readonly answers = new Answers(this);

  readonly rules: Rules;

  constructor(state: AutopilotState, settings: RunSettings, rules: Rules = ALL_RULES) {
    this.state = state;
    this.settings = settings;
    this.rules = rules;
    this.graph = new Graph(state.entries, settings);
    this.pool = new ReadyPool(this.graph, settings.weights);
    this.breakers = state.limits && new AccountBreakers(state.limits, settings);
    for (const entry of state.entries) {
      this.#index(entry);
      if (entry.gating !== undefined) this.#gating.add(entry.card.id);
      if (entry.returns) this.#returning.add(entry.card.id);
      if (entry.slot !== undefined) this.slots.hold(entry.slot, entry.card.id, entry.beside);
    }
    for (const { idea, slot, beside } of state.strangers ?? []) this.slots.hold(slot, idea, beside);
  }

  get openCount(): number {
    return this.#open.size;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Ideas whose gate runs, the first one first. */
  gating(): IdeaEntry[] {
    const order = ({ card }: IdeaEntry): number => this.graph.order(card.id);
    return [...this.#gating]
      .flatMap((id) => this.graph.entry(id) ?? [])
      .sort((a, b) => (a.gating ?? 0) - (b.gating ?? 0) || order(a) - order(b));
  }

  /** Ideas on hold without waiting for a person: paused one by one, or about to pause. */
  get pausedCount(): number {
    return this.openIdeas().filter((one) => !one.approval && (one.status === 'paused' || one.pauseAsked)).length;
  }

  /** Ideas whose next iteration waits for an approval. */
  get approvals(): number {
    return this.openIdeas().filter((one) => one.approval).length;
  }

  isOpen(idea: string): boolean {
    return this.#open.has(idea);
  }

  openIdeas(): IdeaEntry[] {
    return [...this.#open].flatMap((id) => this.graph.entry(id) ?? []);
  }

  /** `carried`: what people said about them in earlier runs. */
  add(cards: readonly IdeaEntry['card'][], carried?: CarriedOver): void {
    const retries = new Map((carried?.retries ?? []).map(({ idea, count }) => [idea, count]));
    for (const card of cards) this.state.entries.push(firstEntry(card, false, retries.get(card.id), carried));
    this.rebuild();
  }

  /** Replaces settings and agents. Closed accounts stay closed. */
  configure(settings: RunSettings, agents: AgentsInfo): void {
    const { limits } = this.state;
    this.settings = settings;
    this.rebuild();
    if (!limits) return;
    // The report of a run about its account is newer than the settings.
    limits.agents = { ...agents, accounts: { ...agents.accounts, ...known(limits.agents, agents) } };
    this.breakers = new AccountBreakers(limits, settings);
  }

  /** For changes that the graph does not track step by step: another shape, or an idea that is no longer done. */
  rebuild(): void {
    const before = this.graph;
    this.graph = new Graph(this.state.entries, this.settings);
    this.pool = new ReadyPool(this.graph, this.settings.weights);
    for (const { card } of this.state.entries) {
      if (card.blue && before.entry(card.id) && before.isDone(card.id) !== this.graph.isDone(card.id))
        this.#tellGroup(card.id);
    }
  }

  /** The idea has landed: its dependents may start, and the Blues that it completes get an event. */
  markDone(idea: string): void {
    for (const blue of this.graph.markDone(idea)) this.#tellGroup(blue);
  }

  /** A Blue has no status of its own: its event counts its children. */
  #tellGroup(blue: string): void {
    const entry = this.graph.entry(blue);
    if (!entry) return;
    const status = groupStatus(entry, this.graph);
    this.changes.push({ ...entry, status, ...(status === 'landed' ? { reason: groupText(blue, this.graph) } : {}) });
  }

  /** Something besides its status has changed: updates watchers and the ready pool. */
  touch(entry: IdeaEntry): void {
    this.changes.push({ ...entry });
    this.graph.refresh(entry.card.id);
  }

  retitle(entry: IdeaEntry, title: string): void {
    entry.card = { ...entry.card, title: clip(title, MAX_CARD_TITLE) };
  }

  /** Turns the idea into a group of the given ideas. */
  divide(entry: IdeaEntry, cards: readonly IdeaEntry['card'][]): void {
    delete entry.hold;
    entry.reason = clip(splitReason(cards.map(({ id }) => id)), MAX_REASON);
    this.set(entry, 'pending');
    entry.card = groupOf(entry.card);
    this.add(cards);
  }

  set(entry: IdeaEntry, status: IdeaStatus): void {
    if (entry.status !== status) {
      delete entry.since;
      this.changes.push({ ...entry, status });
      this.turns.push({ ...entry, status });
    }
    entry.status = status;
    this.#index(entry);
    this.graph.refresh(entry.card.id);
  }

  /** Status changes since the last call; notes when ideas came to their statuses. */
  takeChanges(now: number): IdeaEntry[] {
    const changes = this.changes.splice(0);
    for (const { card } of changes) {
      const entry = this.graph.entry(card.id);
      if (entry) entry.since ??= now;
    }
    return changes;
  }

  /** Drops messages to a child that is gone. Its successor must not get them, nor fail because they fail. */
  dropMessages(idea: string): void {
    if (this.outbox.some((command) => command.idea === idea))
      this.outbox = this.outbox.filter((command) => command.idea !== idea);
  }

  /** An idea beside the slots keeps its number. `wanted`: the number that it gets where that is free. */
  takeSlot(entry: IdeaEntry, wanted?: number): number {
    entry.slot ??= this.slots.take(entry.card.id, wanted);
    this.slots.stepIn(entry.slot);
    delete entry.beside;
    return entry.slot;
  }

  /** Its agent run is over: another agent may have the slot, the number stays with its worktree. */
  stepAside(entry: IdeaEntry): void {
    if (entry.slot === undefined || entry.beside) return;
    this.slots.stepAside(entry.slot);
    entry.beside = true;
    this.#forgetAgent(entry);
  }

  freeSlot(entry: IdeaEntry): void {
    if (entry.slot !== undefined) {
      this.slots.free(entry.slot, entry.card.id);
      entry.lastSlot = entry.slot;
    }
    delete entry.slot;
    delete entry.beside;
    this.noReturn(entry);
    this.gateOver(entry);
    this.#forgetAgent(entry);
  }

  #forgetAgent(entry: IdeaEntry): void {
    delete entry.agent;
    delete entry.probe;
    this.breakers?.release(entry.card.id);
  }

  get returningCount(): number {
    return this.#returning.size;
  }

  /** Paused beside the slots and told to resume: it will ask for a slot next. */
  returns(entry: IdeaEntry): void {
    entry.returns = true;
    this.#returning.add(entry.card.id);
  }

  noReturn(entry: IdeaEntry): void {
    delete entry.returns;
    this.#returning.delete(entry.card.id);
  }

  gateBegins(entry: IdeaEntry, now: number): void {
    entry.gating = now;
    this.#gating.add(entry.card.id);
  }

  gateOver(entry: IdeaEntry): void {
    delete entry.gating;
    this.#gating.delete(entry.card.id);
  }

  /** Adds the cost of the idea's iterations to the totals of the run. */
  foldIterations(entry: IdeaEntry): void {
    entry.used = (entry.keepCount ?? 0) + (entry.iterations?.count ?? 0);
    this.#foldSpent(entry);
    if (!entry.iterations) return;
    this.state.totals.iterations = addStats(this.state.totals.iterations, entry.iterations);
    delete entry.iterations;
  }

  /** Its next workflow counts from the start; the line of the idea keeps what the last one used. */
  #foldSpent(entry: IdeaEntry): void {
    const { totals } = this.state;
    if (!entry.course?.spent || entry.life === entry.booked) return;
    totals.spent = addSpent(totals.spent ?? nothingSpent(), entry.course.spent);
    entry.booked = entry.life;
  }

  #index({ card, status, busy }: IdeaEntry): void {
    // An idea that waits to be taken off the target is in the landing queue without a workflow.
    if (holdsWorkflow(status) && busy !== 'undo') this.#open.add(card.id);
    else this.#open.delete(card.id);
    if (status === 'running') this.#running.add(card.id);
    else this.#running.delete(card.id);
  }
}

export const groupOf = (card: IdeaCard): IdeaCard => ({ ...card, blue: true });
