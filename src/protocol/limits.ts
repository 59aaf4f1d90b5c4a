/**
 * Agents that cannot work for now: usage limits, expired logins, programs that do not start.
 * Invariant: the key of an account reveals no secret. Everything here is plain JSON and small.
 * Must not import anything.
 */

/**
 * The cause that opens a breaker. limited: a usage limit · provider: overloaded, broken or unreachable · auth: needs a
 * login · launch: ends in seconds without a turn.
 */
export type TroubleKind = 'limited' | 'provider' | 'auth' | 'launch';

/** A run that could not work, as its idea reports it. */
export interface Trouble {
  kind: TroubleKind;
  /** Agent name from the configuration. */
  agent: string;
  /** Key of its account. */
  account?: string;
  message: string;
  /** When a limit ends, epoch ms, where the agent stated it. */
  resetAt?: number;
}

/**
 * A closed account or agent program (an open circuit breaker). Working ones are not stored. On the wire it is called
 * `gate`.
 */
export interface AccountBreaker {
  /** Key of the account, or `agent:<name>` for launches. */
  key: string;
  kind: TroubleKind;
  /** parked: no agent runs. probing: one idea tries, the others wait for it. */
  state: 'parked' | 'probing';
  reason: string;
  /** epoch ms */
  since: number;
  /** epoch ms of the earliest first try; absent where only a person reopens it. */
  until?: number;
  /** The agent stated the time. */
  stated?: true;
  /** So short that ideas wait instead of going to another agent. */
  brief?: true;
  /** Failures in a row. */
  hits: number;
  /** epoch ms of the last of them, and their ideas; of launch and provider only. */
  at?: number;
  ideas?: string[];
  probe?: {
    idea: string;
    /** epoch ms */
    at: number;
    /** The idea's run has begun. */
    begun?: true;
  };
}

/** The agents of a run, as its configuration names them. */
export interface AgentsInfo {
  /** For ideas that name none. */
  default: string;
  /** Fallbacks, in this order. */
  fallback: string[];
  /** Account keys by agent name. Agents with the same program family and credentials share a key. */
  accounts: Record<string, string>;
}

export interface LimitState {
  agents: AgentsInfo;
  gates: AccountBreaker[];
  /** The last run that worked, by account key. */
  worked?: Record<string, { idea: string; at: number }>;
  /** Recent failed launches; no run of that agent has worked since. */
  stumbled?: { agent: string; idea: string; at: number }[];
  /** Nothing can resume until a breaker allows it; `until` in epoch ms where that happens by itself. */
  still?: { why: string; until?: number };
}

/** The agent for an idea. */
export interface AgentChoice {
  agent: string;
  /** It goes first, to find out whether the account works again. */
  probe?: true;
  /** Why it is another agent than before. */
  why?: string;
}

/** One account in `status` and `limit`. */
export interface AccountLine {
  key: string;
  agents: string[];
  state: 'open' | 'parked' | 'probing';
  kind?: TroubleKind;
  reason?: string;
  since?: number;
  until?: number;
  /** The idea that tries it. */
  probe?: string;
}
