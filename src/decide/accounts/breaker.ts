/**
 * The circuit breakers of agent accounts (B8), one state for all slots. A run that hits a usage limit or a provider
 * outage parks its account. When the wait is over, one idea tries the account; the others follow only if that try
 * succeeds.
 * Invariant: an account without a breaker entry is open. At most one idea tries a closed account. Reports of runs that
 * began before the breaker closed change only its time. Every wait ends by itself, except where only a person can fix
 * the cause.
 * May import protocol and decide only.
 */

import type { AccountBreaker, AccountLine, AgentChoice, LimitState, Trouble } from '../../protocol/limits.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { clip, MAX_REASON } from '../text.js';
import { accountLines, accountOf, breakerOf, closedFor, whyStill, whySwitched, whyWaits } from './lines.js';
import { backOffMs, isBrief, isPlausible, slack } from './reopening.js';

/** A try that runs this long without a refusal shows that the account is open. */
export const PROBE_MS = 120_000;
/** Most ideas that one breaker remembers. */
const MOST_SUSPECTS = 20;

export class AccountBreakers {
  readonly #state: LimitState;
  readonly #settings: RunSettings;
  /** Ideas need to be told again which agent to use. */
  changed = true;

  constructor(state: LimitState, settings: RunSettings) {
    this.#state = state;
    this.#settings = settings;
  }

  get allOpen(): boolean {
    return this.#state.gates.length === 0;
  }

  /**
   * The idea's own agent, then its fallbacks. Agents that made no progress with it come last, the latest at the end.
   */
  agentsOf({ card, passed = [] }: Pick<IdeaEntry, 'card' | 'passed'>): string[] {
    const { agents } = this.#state;
    const all = [...new Set([card.agent ?? agents.default, ...agents.fallback])];
    const last = passed.filter((agent) => all.includes(agent));
    return [...all.filter((agent) => !last.includes(agent)), ...last];
  }

  /** Key of the agent's account. */
  account(agent: string): string {
    return accountOf(this.#state, agent);
  }

  // ---- events -----------------------------------------------------------------------------------------------------

  /** A run could not work. All times here are epoch ms. Returns the breaker that this run closed, if it was open. */
  trouble(idea: string, trouble: Trouble, now: number): AccountBreaker {
    this.changed = true;
    if (trouble.account) this.#state.agents.accounts[trouble.agent] = trouble.account;
    const key = trouble.kind === 'launch' ? `agent:${trouble.agent}` : this.account(trouble.agent);
    const known = breakerOf(this.#state, key);
    this.#dropProbes(idea, key);
    const straggler = known && (known.state === 'parked' || (known.probe && known.probe.idea !== idea));
    if (straggler && trouble.kind !== 'launch') return this.#extend(known, trouble, now);
    return this.#park(key, known, trouble, now, idea);
  }

  /**
   * The agent worked in a run that ended at `at`: its program starts and its provider answers. Returns the breakers
   * that this opens.
   */
  worked(agent: string, at: number): AccountBreaker[] {
    const keys = [this.account(agent), `agent:${agent}`];
    return this.#remove((breaker) => keys.includes(breaker.key) && breaker.at !== undefined && breaker.at < at);
  }

  /** The idea ran into the cause that is about to be tried. Another idea tells more, if there is one. */
  isSuspect(idea: string, agents: readonly string[]): boolean {
    const next = agents
      .map((agent) => this.#closedFor(agent))
      .find((closed) => closed.every(({ state }) => state === 'probing'));
    return next?.some(({ ideas }) => ideas?.includes(idea)) ?? false;
  }

  /** The breaker that closes the agent now. */
  closed(agent: string): readonly AccountBreaker[] {
    return this.#closedFor(agent);
  }

  /** The idea's try has begun. */
  begun(idea: string, now: number): void {
    for (const breaker of this.#state.gates)
      if (breaker.probe?.idea === idea) breaker.probe = { idea, at: now, begun: true };
  }

  /** The idea's try succeeded. Returns the breakers that this opens. */
  recovered(idea: string): AccountBreaker[] {
    return this.#remove((breaker) => breaker.probe?.idea === idea);
  }

  /** The idea ended or waits for something else: another idea tries in its place. */
  release(idea: string): void {
    this.#dropProbes(idea);
  }

  /** Updates the breakers to the time. Returns those that are open now. */
  tick(now: number): AccountBreaker[] {
    for (const breaker of this.#state.gates) {
      if (breaker.state === 'parked' && breaker.until !== undefined && breaker.until <= now) this.#letTry(breaker);
      const { probe } = breaker;
      if (probe && !probe.begun && now - probe.at >= PROBE_MS) {
        delete breaker.probe;
        this.changed = true;
      }
    }
    return this.#remove(({ probe }) => probe?.begun === true && now - probe.at >= PROBE_MS);
  }

  /** The next time at which `tick` changes something. */
  wakeAt(): number | undefined {
    const times = this.#state.gates.flatMap(({ state, until, probe }) =>
      state === 'parked' ? (until ?? []) : probe ? probe.at + PROBE_MS : [],
    );
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** A person asks to try now: one account or agent, or all. Returns the breakers that may be tried. */
  retry(which?: string): AccountBreaker[] {
    const parked = this.#state.gates.filter((breaker) => which === undefined || this.#names(breaker, which));
    for (const breaker of parked) {
      breaker.hits = 0;
      this.#letTry(breaker);
    }
    return parked;
  }

  // ---- choices ----------------------------------------------------------------------------------------------------

  /**
   * The first agent of the list that the idea may use now; undefined while it has to wait. A short wait does not hand
   * the idea to the next agent. Reserves the try of a closed account when it is free.
   */
  choose(idea: string, agents: readonly string[], now: number): AgentChoice | undefined {
    for (const agent of agents) {
      const closed = this.#closedFor(agent);
      if (closed.every((breaker) => mayTry(breaker, idea))) return this.#take(idea, agent, closed, now);
      if (closed.some((breaker) => breaker.brief && !mayTry(breaker, idea))) return undefined;
    }
    return undefined;
  }

  /**
   * The agent that a running idea uses next: an earlier one of its list once that is available, else its present one,
   * else another.
   */
  review(idea: string, agents: readonly string[], current: string, now: number): AgentChoice | undefined {
    // A reload may have changed the agents of the configuration.
    if (current === '' || !agents.includes(current)) return this.choose(idea, agents, now);
    const better = this.#settings.recoverPrimary === false ? [] : agents.slice(0, Math.max(0, agents.indexOf(current)));
    for (const agent of [...better, current]) {
      const closed = this.#closedFor(agent);
      if (closed.every((breaker) => mayTry(breaker, idea))) return this.#take(idea, agent, closed, now);
    }
    return this.choose(idea, agents, now);
  }

  /** Whether `choose` would find an agent. Reserves nothing. */
  couldUse(agents: readonly string[]): boolean {
    for (const agent of agents) {
      const closed = this.#closedFor(agent);
      if (closed.every((breaker) => breaker.state === 'probing' && !breaker.probe)) return true;
      if (closed.some((breaker) => breaker.brief)) return false;
    }
    return false;
  }

  // ---- views ------------------------------------------------------------------------------------------------------

  lines(): AccountLine[] {
    return accountLines(this.#state);
  }

  /** A sentence that says why an idea with these agents waits; empty when one of them is open. */
  why(agents: readonly string[]): string {
    return whyWaits(this.#state, agents);
  }

  /** The choice with its reason, where it is not the agent that the idea works with. */
  explained(entry: Pick<IdeaEntry, 'card' | 'passed' | 'agent'>, choice: AgentChoice): AgentChoice {
    const { agent: before, passed } = entry;
    const chosen = choice.agent;
    if (before === chosen) return choice;
    const why = whySwitched(this.#state, this.agentsOf(entry), passed, { before, chosen });
    return why === undefined ? choice : { ...choice, why: clip(why, MAX_REASON) };
  }

  /** The closed breakers as sentences. */
  whyStill(): string {
    return whyStill(this.#state);
  }

  // ---- inside -----------------------------------------------------------------------------------------------------

  #closedFor(agent: string): AccountBreaker[] {
    return closedFor(this.#state, agent);
  }

  #names(breaker: AccountBreaker, which: string): boolean {
    return breaker.key === which || breaker.key === `agent:${which}` || breaker.key === this.account(which);
  }

  #take(idea: string, agent: string, closed: AccountBreaker[], now: number): AgentChoice {
    for (const breaker of closed) breaker.probe ??= { idea, at: now };
    return closed.length > 0 ? { agent, probe: true } : { agent };
  }

  #letTry(breaker: AccountBreaker): void {
    breaker.state = 'probing';
    delete breaker.probe;
    delete breaker.until;
    this.changed = true;
  }

  #dropProbes(idea: string, except?: string): void {
    for (const breaker of this.#state.gates) {
      if (breaker.probe?.idea !== idea || breaker.key === except) continue;
      delete breaker.probe;
      this.changed = true;
    }
  }

  #remove(isOpen: (breaker: AccountBreaker) => boolean): AccountBreaker[] {
    const open = this.#state.gates.filter(isOpen);
    if (open.length === 0) return open;
    this.changed = true;
    this.#state.gates = this.#state.gates.filter((breaker) => !open.includes(breaker));
    return open;
  }

  /** Another run had begun before the breaker closed. It can only move the end of the wait. */
  #extend(breaker: AccountBreaker, { resetAt, kind }: Trouble, now: number): AccountBreaker {
    if (kind !== 'limited' || breaker.kind !== 'limited' || !isPlausible(resetAt, now)) return breaker;
    const until = resetAt + slack(breaker.key);
    if (breaker.state === 'parked' && breaker.until !== undefined && breaker.until >= until && breaker.stated)
      return breaker;
    Object.assign(breaker, { state: 'parked', until, stated: true });
    delete breaker.probe;
    this.#markBrief(breaker, now);
    return breaker;
  }

  #park(
    key: string,
    known: AccountBreaker | undefined,
    { kind, message, resetAt }: Trouble,
    now: number,
    idea: string,
  ): AccountBreaker {
    const same = known?.kind === kind ? known : undefined;
    const breaker: AccountBreaker = {
      ...{ key, kind, state: 'parked', reason: clip(message, MAX_REASON) },
      since: same?.since ?? now,
      hits: same?.hits ?? 0,
    };
    if (this.#settings.ownTrouble && (kind === 'launch' || kind === 'provider')) {
      breaker.at = now;
      breaker.ideas = [...new Set([...(same?.ideas ?? []), idea])].slice(-MOST_SUSPECTS);
    }
    if (kind === 'limited' && isPlausible(resetAt, now)) {
      breaker.until = resetAt + slack(key);
      breaker.stated = true;
      // The account announced this reset before and it was wrong. Trusting it each time would hammer the account.
      if (same?.stated && same.state === 'probing') {
        breaker.hits += 1;
        breaker.until = Math.max(breaker.until, now + (backOffMs(breaker, this.#settings) ?? 0));
      }
    } else {
      breaker.hits += 1;
      const waitMs = backOffMs(breaker, this.#settings);
      if (waitMs !== undefined) breaker.until = now + waitMs;
    }
    this.#markBrief(breaker, now);
    this.#state.gates = [...this.#state.gates.filter((one) => one !== known), breaker];
    return breaker;
  }

  #markBrief(breaker: AccountBreaker, now: number): void {
    if (isBrief(breaker, this.#settings, now)) breaker.brief = true;
    else delete breaker.brief;
  }
}

const mayTry = (breaker: AccountBreaker, idea: string): boolean =>
  breaker.state === 'probing' && (breaker.probe === undefined || breaker.probe.idea === idea);
