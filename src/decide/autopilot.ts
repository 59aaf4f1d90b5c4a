/**
 * The autopilot's decisions: events change the state, `decide` says what to do next. The workflow only carries it out.
 * Invariant: at most one landing at a time; a slot is held by at most one idea; an idea starts only when everything it
 * depends on has landed; a report older than the last one taken changes nothing.
 * May import protocol and decide only.
 */
import type { LandResult, OpenRunResult } from '../protocol/activities.js';
import type { IdeaCard } from '../protocol/idea.js';
import type { AutopilotState, IdeaEntry, IdeaOutcome, IdeaReport, RunSettings, Verdict } from '../protocol/run.js';
import { bounceOf, landingQuestion } from './bounce.js';
import { Graph } from './graph.js';
import { addStats, noIterations } from './iterations.js';
import { pickNext } from './score.js';

export type Command =
  | { do: 'start'; idea: string; slot: number }
  | { do: 'grant'; idea: string; slot: number }
  | { do: 'verdict'; idea: string; verdict: Verdict }
  | { do: 'land'; idea: string }
  | { do: 'tell'; idea: string; signal: 'pause' | 'resume' | 'stop' };

/** Slot 3 works under the name `ed-003`. */
export const agentName = (slot: number): string => `ed-${String(slot).padStart(3, '0')}`;

/** Statuses in which a child workflow is open. */
const OPEN = new Set<IdeaEntry['status']>(['running', 'paused', 'needs-human', 'wants-slot', 'landing']);

/** Life of a child that an earlier run started: the first report says which it is. */
const ADOPTED = -1;

export function firstState(opened: OpenRunResult, settings: RunSettings, now: number): AutopilotState {
  const landed = new Set(opened.landed);
  return {
    run: 'running',
    slots: settings.slots,
    entries: opened.cards.map((card) => ({
      card,
      status: landed.has(card.id) ? 'landed' : 'pending',
      seq: 0,
      life: 0,
      retries: 0,
      rounds: 0,
    })),
    lane: [],
    waiting: [],
    failuresInARow: 0,
    totals: { startedAt: now, landings: 0, bounces: 0, commits: 0, iterations: noIterations() },
    queues: { agents: opened.agentsQueue, git: opened.gitQueue },
    target: opened.target,
  };
}

export class Autopilot {
  readonly state: AutopilotState;
  readonly settings: RunSettings;
  graph: Graph;
  /** Ideas whose child workflow is open. */
  readonly #open = new Set<string>();
  /** Verdicts and messages that events caused; handed out by the next `decide`. */
  readonly #outbox: Command[] = [];
  /** Status changes since they were last taken, for those who watch. */
  readonly #changes: IdeaEntry[] = [];

  constructor(state: AutopilotState, settings: RunSettings) {
    this.state = state;
    this.settings = settings;
    this.graph = new Graph(state.entries);
    for (const entry of state.entries) if (OPEN.has(entry.status)) this.#open.add(entry.card.id);
  }

  // ---- events -----------------------------------------------------------------------------------------------------

  report(report: IdeaReport): void {
    const entry = this.graph.entry(report.idea);
    if (!entry || !this.#open.has(report.idea)) return;
    if (entry.life === ADOPTED) entry.life = report.life;
    if (report.life !== entry.life || report.seq <= entry.seq) return;
    entry.seq = report.seq;
    entry.iterations = report.iterations;
    switch (report.kind) {
      case 'ready':
        if (!report.work || entry.status === 'landing' || entry.status === 'landed') return;
        entry.work = report.work;
        delete entry.slot;
        delete entry.reason;
        this.#set(entry, 'landing');
        this.state.lane.push(report.idea);
        return;
      case 'needs-human':
        delete entry.slot;
        entry.reason = report.reason;
        this.#set(entry, 'needs-human');
        return;
      case 'wants-slot':
        this.#queueForSlot(entry);
        return;
      case 'paused':
        this.#set(entry, 'paused');
        return;
      case 'resumed':
        this.#set(entry, 'running');
        return;
      case 'closed':
        this.childEnded(report.idea, report.outcome ?? 'failed', report.reason);
        return;
    }
  }

  /** A child workflow is over, however that was learnt. Repeats change nothing. */
  childEnded(idea: string, outcome: IdeaOutcome, reason?: string): void {
    const entry = this.graph.entry(idea);
    if (!entry || !this.#open.has(idea)) return;
    // Once a landing is under way its own result decides.
    if (this.state.landing === idea) return;
    this.#leaveLane(idea);
    delete entry.slot;
    delete entry.work;
    entry.reason = reason;
    this.#foldIterations(entry);
    if (outcome === 'stopped') this.#set(entry, 'pending');
    else this.#set(entry, outcome === 'landed' ? 'failed' : outcome);
    if (entry.status === 'failed') this.#countFailure(entry);
  }

  landed(idea: string, result: LandResult): void {
    const entry = this.graph.entry(idea);
    delete this.state.landing;
    if (!entry) return;
    if (result.kind === 'landed') {
      this.state.lane = this.state.lane.filter((one) => one !== idea);
      this.state.failuresInARow = 0;
      this.state.totals.landings += 1;
      this.state.totals.commits += result.commits;
      entry.commit = result.commit;
      entry.reason = result.note;
      delete entry.work;
      delete entry.bounce;
      this.#foldIterations(entry);
      this.#set(entry, 'landed');
      this.graph.markDone(idea);
      this.#outbox.push({ do: 'verdict', idea, verdict: { kind: 'landed', commit: result.commit } });
      return;
    }
    this.#leaveLane(idea);
    this.state.totals.bounces += 1;
    entry.rounds += 1;
    if (entry.rounds > this.settings.maxLandingRounds) {
      entry.rounds = 0;
      const question = landingQuestion(result);
      entry.reason = question;
      this.#set(entry, 'needs-human');
      this.#outbox.push({ do: 'verdict', idea, verdict: { kind: 'ask', question } });
      entry.bounce = bounceOf(result);
      return;
    }
    entry.bounce = bounceOf(result);
    this.#queueForSlot(entry);
  }

  /** The landing could not be carried out at all (not a conflict, not a red gate). */
  landingFailed(idea: string, message: string): void {
    const entry = this.graph.entry(idea);
    delete this.state.landing;
    if (!entry) return;
    this.#leaveLane(idea);
    const question = `Landing failed: ${message}. Mend it, then answer anything to try again.`;
    entry.reason = question;
    this.#set(entry, 'needs-human');
    this.#outbox.push({ do: 'verdict', idea, verdict: { kind: 'ask', question } });
  }

  pause(why?: string): void {
    if (this.state.run !== 'running') return;
    this.state.run = 'pausing';
    this.state.why = why;
    this.#tellAll('pause');
  }

  resume(): void {
    if (this.state.run !== 'paused' && this.state.run !== 'pausing') return;
    this.state.run = 'running';
    delete this.state.why;
    this.state.failuresInARow = 0;
    this.#tellAll('resume');
  }

  stop(why?: string): void {
    if (this.state.run === 'stopping' || this.state.run === 'completed') return;
    this.state.run = 'stopping';
    this.state.why = why;
    this.#tellAll('stop');
  }

  setSlots(slots: number): void {
    this.state.slots = slots;
  }

  /** Takes new ideas in; the caller has checked them with `enqueueProblem`. */
  enqueue(cards: IdeaCard[]): void {
    for (const card of cards) {
      this.state.entries.push({ card, status: 'pending', seq: 0, life: 0, retries: 0, rounds: 0 });
    }
    this.graph = new Graph(this.state.entries);
  }

  /** The idea's workflow was already open, started by an earlier run: its next report says where it stands. */
  adopted(idea: string): void {
    const entry = this.graph.entry(idea);
    if (entry) entry.life = ADOPTED;
  }

  // ---- decisions --------------------------------------------------------------------------------------------------

  /**
   * Everything to do now. While `rollover` is set nothing new is begun, so that the run can continue as new.
   */
  decide(rollover: boolean): Command[] {
    const commands = this.#outbox.splice(0);
    if (rollover) return commands;
    const { state } = this;
    if (state.run === 'running' || state.run === 'stopping') {
      const next = state.lane[0];
      if (next !== undefined && state.landing === undefined) {
        state.landing = next;
        commands.push({ do: 'land', idea: next });
      }
    }
    if (state.run === 'running') this.#fillSlots(commands);
    if (state.run === 'stopping') this.#stopWaiting(commands);
    if (state.run === 'pausing' && !this.#anyBusy()) state.run = 'paused';
    return commands;
  }

  /** Nothing runs, nothing can start, nobody is waited for. */
  isOver(): boolean {
    const { state, graph } = this;
    if (state.run === 'paused' || state.run === 'pausing') return false;
    if (state.lane.length > 0 || state.landing !== undefined) return false;
    if (state.run === 'running' && graph.readyCount > 0) return false;
    return this.#open.size === 0;
  }

  takeChanges(): IdeaEntry[] {
    return this.#changes.splice(0);
  }

  openIdeas(): IdeaEntry[] {
    return [...this.#open].flatMap((id) => this.graph.entry(id) ?? []);
  }

  #fillSlots(commands: Command[]): void {
    const { state, graph, settings } = this;
    const taken = new Set<number>();
    for (const entry of this.openIdeas()) if (entry.slot !== undefined) taken.add(entry.slot);
    let slot = 0;
    const nextSlot = (): number | undefined => {
      if (taken.size >= state.slots) return undefined;
      do slot += 1;
      while (taken.has(slot));
      taken.add(slot);
      return slot;
    };
    while (state.waiting.length > 0) {
      const free = nextSlot();
      if (free === undefined) return;
      const entry = graph.entry(state.waiting.shift() ?? '');
      if (entry?.status !== 'wants-slot') {
        taken.delete(free);
        slot = 0;
        continue;
      }
      entry.slot = free;
      this.#set(entry, 'running');
      commands.push(this.#welcomeBack(entry, free));
    }
    while (graph.readyCount > 0) {
      const free = nextSlot();
      if (free === undefined) return;
      const idea = pickNext(graph, settings.weights);
      const entry = idea === undefined ? undefined : graph.entry(idea);
      if (!idea || !entry) return;
      entry.slot = free;
      // A new child numbers its reports from one again; reports of an earlier life no longer count.
      entry.seq = 0;
      entry.life += 1;
      delete entry.reason;
      this.#set(entry, 'running');
      commands.push({ do: 'start', idea, slot: free });
    }
  }

  #welcomeBack(entry: IdeaEntry, slot: number): Command {
    const idea = entry.card.id;
    if (!entry.bounce) return { do: 'grant', idea, slot };
    const { reopen, feedback } = entry.bounce;
    delete entry.bounce;
    return { do: 'verdict', idea, verdict: { kind: 'reopen', agentName: agentName(slot), reopen, feedback } };
  }

  /** A stop ends also those that wait for a slot or for a person; their work stays on their branches. */
  #stopWaiting(commands: Command[]): void {
    for (const idea of this.state.waiting) commands.push({ do: 'tell', idea, signal: 'stop' });
    this.state.waiting = [];
  }

  #tellAll(signal: 'pause' | 'resume' | 'stop'): void {
    for (const entry of this.openIdeas()) {
      // The lane has these; a bounced one is told when it comes out.
      if (entry.status === 'landing') continue;
      this.#outbox.push({ do: 'tell', idea: entry.card.id, signal });
    }
  }

  #anyBusy(): boolean {
    return this.state.landing !== undefined || this.openIdeas().some((entry) => entry.status === 'running');
  }

  #queueForSlot(entry: IdeaEntry): void {
    delete entry.slot;
    this.#set(entry, 'wants-slot');
    if (!this.state.waiting.includes(entry.card.id)) this.state.waiting.push(entry.card.id);
  }

  #leaveLane(idea: string): void {
    this.state.lane = this.state.lane.filter((one) => one !== idea);
    this.state.waiting = this.state.waiting.filter((one) => one !== idea);
  }

  #foldIterations(entry: IdeaEntry): void {
    if (!entry.iterations) return;
    this.state.totals.iterations = addStats(this.state.totals.iterations, entry.iterations);
    delete entry.iterations;
  }

  #countFailure(entry: IdeaEntry): void {
    this.state.failuresInARow += 1;
    if (this.settings.errorStrategy === 'abort') this.stop(`${entry.card.id} failed, and errors.strategy is abort`);
    else if (this.settings.errorThreshold > 0 && this.state.failuresInARow >= this.settings.errorThreshold) {
      this.pause(`${this.state.failuresInARow} ideas failed one after another; look at them, then resume`);
    }
  }

  #set(entry: IdeaEntry, status: IdeaEntry['status']): void {
    if (entry.status !== status) this.#changes.push({ ...entry, status });
    entry.status = status;
    if (OPEN.has(status)) this.#open.add(entry.card.id);
    else this.#open.delete(entry.card.id);
    this.graph.refresh(entry.card.id);
  }
}
