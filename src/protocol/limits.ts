/**
 * Agents that cannot work for now: usage limits, logins that have run out, programs that do not start.
 * Invariant: an account is known by a key that gives no secret away; everything here is plain JSON and small.
 * Must not import anything.
 */

/**
 * What closes a gate. limited: a usage limit · provider: overloaded, out of order or out of reach · auth: needs a login ·
 * launch: ends in seconds without a turn.
 */
export type TroubleKind = 'limited' | 'provider' | 'auth' | 'launch';

/** A run that could not work, as its idea reports it. */
export interface Trouble {
  kind: TroubleKind;
  /** Agent name from the configuration. */
  agent: string;
  /** Key of the account it ran on. */
  account?: string;
  message: string;
  /** When a limit ends, epoch ms, where the agent stated it. */
  resetAt?: number;
}

/** A closed gate: one account, or one agent's program. Open ones are not kept. */
export interface AccountBreaker {
  /** Key of the account, or `agent:<name>` for launches. */
  key: string;
  kind: TroubleKind;
  /** parked: nobody runs. probing: one idea tries, the others wait for it. */
  state: 'parked' | 'probing';
  reason: string;
  /** epoch ms */
  since: number;
  /** epoch ms when the first try may go; absent where only a person opens it. */
  until?: number;
  /** The agent stated the time. */
  stated?: true;
  /** So short that ideas wait for it rather than go to another agent. */
  brief?: true;
  /** Failures in a row. */
  hits: number;
  /** epoch ms of the last of them, and the ideas they came from; of launch and provider only. */
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
  /** Take over in this order. */
  fallback: string[];
  /** Account keys by agent name. Agents with the same program family and credentials share one. */
  accounts: Record<string, string>;
}

export interface LimitState {
  agents: AgentsInfo;
  gates: AccountBreaker[];
  /** The last run that worked, by account key. */
  worked?: Record<string, { idea: string; at: number }>;
  /** Launches that failed lately, and nothing of that agent has worked since. */
  stumbled?: { agent: string; idea: string; at: number }[];
  /** Nothing can go on until a gate opens; `until` in epoch ms where that happens by itself. */
  still?: { why: string; until?: number };
}

/** Which agent an idea is to use. */
export interface AgentChoice {
  agent: string;
  /** It goes first, to find out whether the gate is open again. */
  probe?: true;
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
