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

/** Shorter spans between two events are the change of one idea to the next. */
const REFILL_MS = 2000;

type Model = Pick<RunModel, 'state' | 'slots' | 'ideas' | 'counts' | 'limits'>;

export class SlotUse {
  readonly time: SlotTime = { agentMs: 0, heldMs: 0, empty: {} };
  readonly #working = new Set<string>();
  readonly #held = new Set<string>();
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
    this.#slots = OVER.has(model.state) ? 0 : (model.slots ?? 0);
    this.#reason = reasonOf(model);
  }

  #place(event: StampedEvent, idea: string, model: Model): void {
    const { slot, status } = model.ideas.get(idea) ?? {};
    const holds = slot !== undefined && (status === 'running' || status === 'paused');
    if (holds) this.#held.add(idea);
    else this.#held.delete(idea);
    if (event.kind === 'iteration' && holds) this.#working.add(idea);
    if (event.kind === 'iteration-end' || !holds) this.#working.delete(idea);
  }

  /** Time between two events. */
  #spend(ms: number): void {
    const { time } = this;
    time.agentMs += ms * this.#working.size;
    time.heldMs += ms * (this.#held.size - this.#working.size);
    const empty = this.#slots - this.#held.size;
    if (empty <= 0) return;
    const reason = this.#reason === 'order' && ms <= REFILL_MS ? 'refill' : this.#reason;
    time.empty[reason] = (time.empty[reason] ?? 0) + ms * empty;
  }
}

const OVER = new Set<string>(['completed', 'stopped', 'aborted', 'terminated']);
const RESTS = new Set<string>(['pausing', 'paused', WAITS_FOR_YOU, 'waiting_user', 'idle']);

function reasonOf({ state, counts, limits }: Model): EmptyReason {
  if (state === 'stopping') return 'stopping';
  if (RESTS.has(state)) return 'paused';
  if (counts.todo === 0) return 'no idea left';
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
