/**
 * Which breakers close an agent, and how people read them (B8).
 * Invariant: reads the state only. May import protocol and decide only.
 */
import type { AccountBreaker, AccountLine, LimitState } from '../../protocol/limits.js';
import { breakerText } from './reopening.js';

/** Key of the agent's account. */
export const accountOf = ({ agents }: LimitState, agent: string): string => agents.accounts[agent] ?? agent;

export const breakerOf = ({ gates }: LimitState, key: string): AccountBreaker | undefined =>
  gates.find((breaker) => breaker.key === key);

/** The breakers of the agent's account and of its program. */
export function closedFor(state: LimitState, agent: string): AccountBreaker[] {
  const keys = [accountOf(state, agent), `agent:${agent}`];
  return keys.map((key) => breakerOf(state, key)).filter((breaker) => breaker !== undefined);
}

/** Every account, and agents that do not start. */
export function accountLines(state: LimitState): AccountLine[] {
  const { accounts, default: own, fallback } = state.agents;
  const keys = new Map<string, string[]>();
  for (const agent of new Set([own, ...fallback, ...Object.keys(accounts)])) {
    const key = accountOf(state, agent);
    keys.set(key, [...(keys.get(key) ?? []), agent]);
  }
  for (const { key } of state.gates) {
    if (!keys.has(key)) keys.set(key, key.startsWith('agent:') ? [key.slice('agent:'.length)] : []);
  }
  return [...keys].map(([key, agents]) => {
    const breaker = breakerOf(state, key);
    if (!breaker) return { key, agents, state: 'open' };
    const { state: is, kind, reason, since, until, probe } = breaker;
    return {
      ...{ key, agents, state: is, kind, reason, since },
      until: is === 'parked' ? until : undefined,
      probe: probe?.idea,
    };
  });
}

/** A sentence that says why an idea with these agents waits; empty when one of them is open. */
export function whyWaits(state: LimitState, agents: readonly string[]): string {
  const closed = agents.map((agent) => ({ agent, breaker: closedFor(state, agent)[0] }));
  if (closed.some(({ breaker }) => breaker === undefined)) return '';
  return closed.flatMap(({ agent, breaker }) => (breaker ? breakerText(breaker, agent) : [])).join('; ');
}

/** Why an idea gets `chosen`, where it is not the first of its `agents`. `passed`: they made no progress with it. */
export function whySwitched(
  state: LimitState,
  agents: readonly string[],
  passed: readonly string[] | undefined,
  { before, chosen }: { before: string | undefined; chosen: string },
): string | undefined {
  const closed = agents.slice(0, agents.indexOf(chosen)).flatMap((agent) => {
    const breaker = closedFor(state, agent)[0];
    return breaker ? [breakerText(breaker, agent)] : [];
  });
  const stuck = (passed ?? []).filter((agent) => agent !== chosen).map((agent) => `${agent} made no progress`);
  if (closed.length > 0 || stuck.length > 0) return [...closed, ...stuck].join('; ');
  if (before && !agents.includes(before)) return `the configuration no longer lists ${before} for it`;
  return undefined;
}

/** The closed breakers as sentences. */
export const whyStill = (state: LimitState): string =>
  state.gates.map((breaker) => breakerText(breaker, agentOf(state, breaker))).join('; ');

function agentOf({ agents: { accounts } }: LimitState, { key }: AccountBreaker): string {
  if (key.startsWith('agent:')) return key.slice('agent:'.length);
  return Object.keys(accounts).find((agent) => accounts[agent] === key) ?? key;
}
