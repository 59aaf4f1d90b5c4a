/**
 * A small world around `Autopilot`: children that behave as the idea workflow does, a landing lane, people, and a network
 * that delays and repeats. Everything random comes from one seed.
 * What it takes for granted of the workflows: messages to one idea arrive in the order they were sent, the start first;
 * an end is told with the life it belongs to; a resync repeats the last report under its own number; children of two runs
 * do not have the same life (the workflows do not see to that: it takes an orphan that ends just while it is adopted).
 */

import { readStop } from '../../../src/decide/messages/said.js';
import type { Autopilot, Effect } from '../../../src/decide/run/autopilot.js';
import type { IdeaReport, Verdict } from '../../../src/protocol/idea-run.js';
import type { IdeaOutcome } from '../../../src/protocol/states.js';
import { type Child, type ChildState, LAST, type Message } from './child.js';
import { type Event, Network } from './network.js';
import { randomFrom } from './random.js';
import { stats, workOf } from './support.js';
import { Target } from './target.js';

export interface Temper {
  /** Ways a child may end badly by itself; none in a world where all succeed in the end. */
  bad: IdeaOutcome[];
  terminate: boolean;
  levers: ('pause' | 'resume' | 'stop' | 'slots' | 'stop-one' | 'pause-one')[];
}

/** As the idea workflow reads it. */
const isDrain = (args: unknown[] = []): boolean => {
  const said = readStop(args);
  return !('problem' in said) && said[1];
};

/** Something happens to it by itself. */
const AWAKE: ReadonlySet<ChildState> = new Set(['working', 'settling', 'gating', 'asking']);

export class World {
  readonly children = new Map<string, Child>();
  readonly target: Target;
  calm = false;
  /** Ideas that went on after their gate under the number that they had. */
  kept = 0;
  /** Agents that began while the gate of another idea ran. */
  besides = 0;
  /** Agents that began while the run of another idea was settled. */
  early = 0;
  /** Ideas whose finished work was never tried to land, although nobody stopped them by themselves. */
  readonly thrownAway: string[] = [];
  readonly #network: Network;
  /** Children whose reports may still arrive. */
  readonly #reports = new Set<Child>();
  readonly #random: (below: number) => number;
  readonly #temper: Temper;
  /** Children give their slots back for their gates; `settles`: before their runs are settled. */
  readonly #beside: boolean;
  readonly #settles: boolean;
  /** Children give their slots back for a pause. */
  readonly #pauses: boolean;

  constructor(seed: number, temper: Temper, beside = false, settles = false, pauses = false) {
    this.#random = randomFrom(seed);
    this.target = new Target(this.#random);
    this.#network = new Network(this.#random);
    this.#temper = temper;
    this.#beside = beside;
    this.#settles = settles;
    this.#pauses = pauses;
  }

  chance(oneIn: number): boolean {
    return this.#random(oneIn) === 0;
  }

  /** Children that an earlier run left open. */
  orphan(idea: string): void {
    const states: ChildState[] = ['working', 'paused', 'asking', 'waiting-slot', 'landing'];
    const state = this.#pick<ChildState>(this.#beside ? ['gating', ...states] : states);
    const child: Child = {
      idea,
      life: 101 + this.#random(3),
      seq: 1 + this.#random(5),
      state,
      agent: '',
      paused: state === 'paused',
      stopping: false,
      ...(state === 'gating' ? { slotless: true } : {}),
    };
    child.last = this.#reportOf(child, LAST[state]);
    this.children.set(idea, child);
  }

  carryOut(pilot: Autopilot, command: Effect): void {
    if (command.do === 'configure' || command.do === 'push' || command.do === 'look' || command.do === 'wave') return;
    const life = pilot.graph.entry(command.idea)?.life ?? 0;
    if (command.do === 'land') {
      const entry = pilot.graph.entry(command.idea);
      this.target.begin(command.idea, (entry && pilot.placesBefore(entry, 0).places) ?? []);
      this.#network.tell((one) => this.target.finish(one, command.idea));
      return;
    }
    const message: Message = command.do === 'start' ? { do: 'start', life, agent: `ed-${command.slot}` } : command;
    this.#network.post(command.idea, life, message);
  }

  /** Something is under way: a message, a landing, an agent at work. */
  get busy(): boolean {
    if (this.#network.hasEvents || this.#network.hasMail) return true;
    return [...this.children.values()].some(
      ({ state }) => state === 'working' || state === 'settling' || state === 'gating',
    );
  }

  /** The child of the idea that is landing has ended, or is about to. */
  get landsWithoutChild(): boolean {
    const { landing } = this.target;
    const child = landing === undefined ? undefined : this.children.get(landing);
    return landing !== undefined && (child === undefined || child.state === 'closing');
  }

  get asking(): boolean {
    return [...this.children.values()].some((child) => child.state === 'asking' || child.state === 'paused');
  }

  /** One thing happens; what it means for the autopilot comes back, to be applied to every copy of it. */
  step(): Event[] {
    const moves: (() => Event[])[] = [];
    const arrives = (): Event[] => [this.#network.takeEvent()];
    if (this.#network.hasEvents) moves.push(arrives, arrives);
    if (this.#network.hasMail)
      moves.push(
        () => this.#deliverMail(),
        () => this.#deliverMail(),
      );
    const awake = [...this.children.values()].filter(({ state }) => AWAKE.has(state));
    if (awake.length > 0) moves.push(() => this.#act(this.#pick(awake)));
    if (!this.calm) moves.push(() => this.#lever());
    return moves.length === 0 ? [] : this.#pick(moves)();
  }

  // ---- the network ------------------------------------------------------------------------------------------------

  #deliverMail(): Event[] {
    const { idea, life, message } = this.#network.takeMail();
    const child = this.children.get(idea);
    if (message.do === 'start') return this.#start(idea, message, child);
    if (child) this.#receive(child, message);
    else if (!(message.do === 'verdict' && message.verdict.kind === 'landed')) {
      this.#network.tell((pilot) => pilot.childGone(idea, life));
    }
    return [];
  }

  #start(idea: string, { life, agent }: Extract<Message, { do: 'start' }>, open: Child | undefined): Event[] {
    if (open) {
      // Whatever a workflow has sent has arrived before it can end, so none of it is news to whoever finds it ending.
      if (open.state === 'closing')
        for (const child of this.#reports) if (child.idea === idea) this.#reports.delete(child);
      this.#network.postFirst(idea, -life, { do: 'resync' });
      open.agent = agent;
      return [(pilot) => pilot.adopted(idea)];
    }
    this.target.tried.delete(idea);
    const states = [...this.children.values()].map(({ state }) => state);
    if (states.includes('gating')) this.besides += 1;
    if (states.includes('settling')) this.early += 1;
    this.children.set(idea, { idea, life, seq: 0, state: 'working', agent, paused: false, stopping: false });
    return [];
  }

  #report(child: Child, kind: IdeaReport['kind'], more: Partial<IdeaReport> = {}): void {
    child.seq += 1;
    child.last = { ...this.#reportOf(child, kind), ...more };
    this.#send(child, child.last);
    if (this.chance(4)) this.#send(child, child.last);
  }

  #send(child: Child, report: IdeaReport): void {
    this.#reports.add(child);
    this.#network.tell((pilot) => {
      if (this.#reports.has(child)) pilot.report(report);
    });
  }

  #reportOf({ idea, life, seq }: Child, kind: IdeaReport['kind']): IdeaReport {
    return { idea, life, seq, kind, iterations: stats(1), ...(kind === 'ready' ? { work: workOf(idea) } : {}) };
  }

  // ---- children ---------------------------------------------------------------------------------------------------

  #receive(child: Child, message: Exclude<Message, { do: 'start' }>): void {
    if (child.state === 'closing') return;
    switch (message.do) {
      case 'resync': {
        const works = child.state === 'working' || child.state === 'settling';
        const last = works ? this.#reportOf(child, 'resumed') : child.last;
        if (last) this.#send(child, last);
        return;
      }
      case 'tell':
        this.#told(child, message.signal as 'pause' | 'resume' | 'stop', isDrain(message.args));
        return;
      case 'grant':
        // Meant for an orphan that reported under the same life and is gone; a child that does not wait ignores it.
        if (child.state !== 'waiting-slot') return;
        if (child.slotless && child.agent === `ed-${message.slot}`) this.kept += 1;
        child.agent = `ed-${message.slot}`;
        child.state = 'working';
        child.slotless = false;
        return;
      case 'verdict':
        this.#judged(child, message.verdict);
        return;
      case 'agent':
        // Which agent it uses makes no difference to this child.
        return;
      case 'land':
      case 'git-task':
      case 'undo':
      case 'cancel-landing':
        throw new Error(`${message.do} is not a message`);
    }
  }

  #told(child: Child, signal: 'pause' | 'resume' | 'stop', drain = false): void {
    if (signal === 'stop') {
      child.draining = drain && (!child.stopping || child.draining === true);
      child.stopping = true;
      if (child.state !== 'working' && child.state !== 'settling' && child.state !== 'gating') this.#stopAt(child);
      return;
    }
    child.paused = signal === 'pause';
    if (child.state !== 'paused' || child.paused) return;
    child.state = 'working';
    if (!child.besidePause) this.#report(child, 'resumed');
    delete child.besidePause;
    if (!child.slotless) return;
    // The pause ended its gate, or came after it.
    if (this.chance(2)) this.#gate(child);
    else this.#wait(child);
  }

  #judged(child: Child, verdict: Verdict): void {
    if (child.state !== 'landing' && child.state !== 'waiting-slot') return;
    if (verdict.kind === 'landed') {
      this.children.delete(child.idea);
      this.#network.tell((pilot) => pilot.childEnded(child.idea, 'landed', undefined, child.life));
    } else if (verdict.kind === 'ask') child.state = 'asking';
    else if (verdict.kind === 'close') this.#close(child, verdict.outcome);
    else {
      this.target.tried.delete(child.idea);
      child.agent = verdict.agentName.replace(/-0+/, '-');
      child.state = 'working';
      child.slotless = false;
    }
  }

  /** What a stop means where the child stands, as `workflows/idea/waiting.ts` has it. */
  #stopAt(child: Child): void {
    if (child.state === 'landing' && child.draining) return;
    if (child.state === 'landing' && !child.alone && !this.target.tried.has(child.idea))
      this.thrownAway.push(child.idea);
    this.#close(child, 'stopped');
  }

  #act(child: Child): Event[] {
    if (child.state === 'asking') this.#wait(child);
    else if (child.state === 'settling') this.#settled(child);
    else if (child.state === 'working' && this.#settles && this.chance(2)) this.#ended(child);
    else if (child.state === 'working' && this.#beside && !this.chance(3)) this.#gate(child);
    else if (child.state === 'gating' && !child.stopping && !child.paused && this.chance(3)) this.#wait(child);
    else if (child.stopping && this.chance(2)) {
      // The iteration that was under way ends well: the work is finished.
      child.state = 'landing';
      this.#report(child, 'ready');
      this.#stopAt(child);
    } else if (child.stopping) this.#close(child, 'stopped');
    else if (child.paused) {
      this.#rest(child);
    } else if (this.chance(6)) {
      child.state = 'asking';
      child.slotless = false;
      this.#report(child, 'needs-human', { reason: 'what now?' });
    } else if (this.chance(8)) {
      // Its worker was lost again.
      child.state = 'waiting-slot';
      child.slotless = false;
      this.#report(child, 'parked', { lost: 2 });
    } else if (this.#temper.bad.length > 0 && this.chance(4)) this.#close(child, this.#pick(this.#temper.bad));
    else if (!this.chance(3)) {
      child.state = 'landing';
      this.#report(child, 'ready');
    }
    return [];
  }

  /** Its worker tells the run of the agent's end. The message may be lost, and come late or twice. */
  #ended(child: Child): void {
    child.state = 'settling';
    const { idea, life, seq: after } = child;
    const said = { idea, run: 'r', life, after };
    const tell = (): void => this.#network.tell((pilot) => pilot.agentEnded(said, 0));
    if (!this.chance(5)) tell();
    if (this.chance(5)) tell();
  }

  /** As `workflows/idea/agent-run.ts` has it: without knowing whether the run has heard, it has no slot. */
  #settled(child: Child): void {
    child.slotless = true;
    if (child.stopping) this.#close(child, 'stopped');
    else if (child.paused && this.chance(2)) {
      this.#rest(child);
    } else if (this.chance(3)) this.#wait(child);
    else this.#gate(child);
  }

  /** As `pause` in `workflows/idea/waiting.ts` has it. */
  #rest(child: Child): void {
    child.state = 'paused';
    if (this.#pauses) child.slotless = child.besidePause = true;
    this.#report(child, 'paused', this.#pauses ? { beside: true } : {});
  }

  /** Its agent has ended, and its slot is for others. */
  #gate(child: Child): void {
    child.state = 'gating';
    child.slotless = true;
    this.#report(child, 'gating');
  }

  /** It was answered, or its gate was red. */
  #wait(child: Child): void {
    child.state = 'waiting-slot';
    this.#report(child, 'wants-slot');
  }

  /** The end is reported first; the workflow is over some time after the report has arrived. */
  #close(child: Child, outcome: IdeaOutcome): void {
    child.state = 'closing';
    child.seq += 1;
    const report: IdeaReport = { ...this.#reportOf(child, 'closed'), outcome, reason: `it ${outcome}` };
    let first = true;
    this.#network.tell((pilot) => {
      pilot.report(report);
      if (first) this.#network.tell(() => this.#gone(child, outcome));
      first = false;
    });
  }

  #gone(child: Child, outcome: IdeaOutcome): void {
    if (this.children.get(child.idea) !== child) return;
    this.children.delete(child.idea);
    this.#network.tell((pilot) => pilot.childEnded(child.idea, outcome, 'ended', child.life));
  }

  // ---- landing and people -----------------------------------------------------------------------------------------

  #lever(): Event[] {
    const lever = this.#pick(this.#temper.levers);
    const child = this.children.size > 0 ? this.#pick([...this.children.values()]) : undefined;
    if (this.#temper.terminate && child && this.chance(3)) {
      this.#gone(child, 'failed');
      return [];
    }
    switch (lever) {
      case 'pause':
        return [(pilot) => pilot.pause('a person')];
      case 'resume':
        return [(pilot) => pilot.resume()];
      case 'stop':
        return this.chance(12) ? [(pilot) => pilot.stop('a person')] : [];
      case 'slots': {
        const slots = 1 + this.#random(5);
        return [(pilot) => pilot.setSlots(slots)];
      }
      case 'stop-one':
      case 'pause-one':
        if (child && lever === 'stop-one') child.alone = true;
        if (child && child.state !== 'closing') this.#told(child, lever === 'stop-one' ? 'stop' : 'pause');
        return [];
    }
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)] as T;
  }
}
