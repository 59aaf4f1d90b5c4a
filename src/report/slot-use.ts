/**
 * How the slots of a run spent their time, from its events: with an agent at work, held without one, or empty and why.
 * Invariant: the parts add up to the time of all slots between the first and the last event. The cost per event does not
 * grow with the number of ideas. May import protocol types and the model only.
 */
import type { RunModel } from '../model/model.js';
import type { StampedEvent } from '../protocol/events.js';
import { WAITS_FOR_YOU } from '../protocol/states.js';

/**
 * paused: the run rested, or people had to say how it goes on. stopping: it ended its work. limit: accounts were closed.
 * no idea left: nothing was left to start. order: what was left waited for other ideas, for landings or for people.
 * refill: a slot was free for a moment between two ideas.
 */
export const EMPTY_REASONS = ['paused', 'stopping', 'limit', 'no idea left', 'order', 'refill'] as const;
export type EmptyReason = (typeof EMPTY_REASONS)[number];

/** Time of all slots together, ms. */
export interface SlotTime {
  agentMs: number;
  /** Preparing, settling, pauses and approvals. */
  heldMs: number;
  empty: Partial<Record<EmptyReason, number>>;
}

/** A slot that was empty for no longer was between two ideas. */
const REFILL_MS = 2000;

/** An empty slot. */
interface Empty {
  since: number;
  /** Of its time so far, what counts as `order` or `refill`: its end tells which. */
  openMs: number;
}

type Model = Pick<RunModel, 'state' | 'slots' | 'ideas' | 'limits'>;

export class SlotUse {
  readonly #time: SlotTime = { agentMs: 0, heldMs: 0, empty: {} };
  /** The one that is empty for longest first. */
  #empties: Empty[] = [];
  readonly #working = new Set<string>();
  readonly #held = new Set<string>();
  /** Ideas that had their start. The model of a run that is over cannot tell them: it knows what is on the target now. */
  readonly #started = new Set<string>();
  /** Ideas of the run that had not landed before it. Undefined before its first event about itself. */
  #ideas: number | undefined;
  #at: number | undefined;
  #slots = 0;
  #reason: EmptyReason = 'no idea left';

  /** `model` has the event already. */
  take(event: StampedEvent, model: Model): void {
    const at = Date.parse(event.at);
    if (Number.isNaN(at) || event.kind === 'cleaned') return;
    if (this.#at !== undefined && at > this.#at) this.#spend(at - this.#at);
    this.#at = Math.max(at, this.#at ?? at);
    if ('idea' in event && typeof event.idea === 'string') this.#place(event, event.idea, model);
    if (event.kind === 'run') this.#ideas = event.total - (event.before ?? 0);
    if (this.#ideas === undefined) return;
    this.#slots = OVER.has(model.state) ? 0 : (model.slots ?? 0);
    this.#reason = reasonOf(model, this.#ideas - this.#started.size);
    this.#count(this.#at);
  }

  #place(event: StampedEvent, idea: string, model: Model): void {
    const { slot, status, group } = model.ideas.get(idea) ?? {};
    if (event.kind === 'idea' && !group) {
      if (TO_START.has(event.status)) this.#started.delete(idea);
      else this.#started.add(idea);
    }
    const holds = slot !== undefined && (status === 'running' || status === 'paused');
    if (holds) this.#held.add(idea);
    else this.#held.delete(idea);
    if (event.kind === 'iteration' && holds) this.#working.add(idea);
    if (event.kind === 'iteration-end' || !holds) this.#working.delete(idea);
  }

  /** Up to the last event. */
  get time(): SlotTime {
    const empty = { ...this.#time.empty };
    for (const one of this.#empties) addTo(empty, one, this.#at ?? one.since);
    return { ...this.#time, empty };
  }

  /** As `time`, without what a later event could move from one reason to another: no part of it ever shrinks. */
  get certain(): SlotTime {
    const empty = { ...this.#time.empty };
    for (const { since, openMs } of this.#empties)
      if ((this.#at ?? since) - since > REFILL_MS) add(empty, 'order', openMs);
    return { ...this.#time, empty };
  }

  /** The slots as the last event left them. `now`: epoch ms. */
  at(now: number): { agent: number; held: number; empty: Partial<Record<EmptyReason, number>> } {
    const empty: Partial<Record<EmptyReason, number>> = {};
    for (const { since } of this.#empties)
      add(empty, this.#reason === 'order' && now - since <= REFILL_MS ? 'refill' : this.#reason, 1);
    return { agent: this.#working.size, held: this.#held.size - this.#working.size, empty };
  }

  /** The time between two events. */
  #spend(ms: number): void {
    this.#time.agentMs += ms * this.#working.size;
    this.#time.heldMs += ms * (this.#held.size - this.#working.size);
    if (this.#reason === 'order') for (const one of this.#empties) one.openMs += ms;
    else if (this.#empties.length > 0) add(this.#time.empty, this.#reason, ms * this.#empties.length);
  }

  /** After an event: whoever took a slot took the one that was empty for longest. */
  #count(at: number): void {
    const empty = Math.max(0, this.#slots - this.#held.size);
    for (const one of this.#empties.splice(0, this.#empties.length - empty)) addTo(this.#time.empty, one, at);
    while (this.#empties.length < empty) this.#empties.push({ since: at, openMs: 0 });
  }
}

type Empties = SlotTime['empty'];

function add(empty: Empties, reason: EmptyReason, ms: number): void {
  if (ms > 0) empty[reason] = (empty[reason] ?? 0) + ms;
}

const addTo = (empty: Empties, { since, openMs }: Empty, at: number): void =>
  add(empty, at - since <= REFILL_MS ? 'refill' : 'order', openMs);

const OVER = new Set<string>(['completed', 'stopped', 'aborted', 'terminated']);
const RESTS = new Set<string>(['pausing', 'paused', WAITS_FOR_YOU, 'waiting_user', 'idle']);

const TO_START = new Set<string>(['pending', 'wants-slot', 'paused']);

function reasonOf({ state, limits }: Model, left: number): EmptyReason {
  if (state === 'stopping') return 'stopping';
  if (RESTS.has(state)) return 'paused';
  if (left <= 0) return 'no idea left';
  return limits.at(-1)?.to === undefined && limits.length > 0 ? 'limit' : 'order';
}

const WORDS: Readonly<Record<EmptyReason, string>> = {
  paused: 'the run rested',
  stopping: 'it stopped',
  limit: 'agents were at their limits',
  'no idea left': 'no idea was left to start',
  order: 'the ideas left waited for others, for landings or for you',
  refill: 'one idea followed another',
};

/** Undefined without slots. `empty`: the share of their time, 0 to 1. */
export function slotWords({
  agentMs,
  heldMs,
  empty,
}: SlotTime): { text: string; empty: number; ms: number } | undefined {
  const parts = EMPTY_REASONS.map((reason) => [reason, empty[reason] ?? 0] as const);
  const none = parts.reduce((sum, [, ms]) => sum + ms, 0);
  const ms = agentMs + heldMs + none;
  if (ms === 0) return undefined;
  const share = (part: number): string => `${Math.round((100 * part) / ms)} %`;
  const why = parts
    .filter(([, part]) => part >= ms / 200)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, part]) => `${WORDS[reason]} ${share(part)}`);
  const held = heldMs >= ms / 200 ? `, held without one ${share(heldMs)}` : '';
  const text = `with an agent ${share(agentMs)}${held}, empty ${share(none)}${why.length > 0 ? ` (${why.join(', ')})` : ''}`;
  return { text, empty: none / ms, ms };
}
