/**
 * How one agent is run, as the adapters in src/agents take it: the configuration with every default filled in.
 * Must not import anything.
 */

/** Adapters that exist in the core. `command` runs any program; `scripted` plays a script, for demos and tests. */
export const AGENT_ADAPTERS = ['claude', 'codex', 'command', 'scripted'] as const;
export type AgentAdapter = (typeof AGENT_ADAPTERS)[number];

/** Agents that exist without an entry in the configuration. */
export const BUILT_IN_AGENTS = ['claude', 'codex', 'scripted'] as const satisfies readonly AgentAdapter[];

export interface AgentSpec {
  /** Name in the configuration; ideas and `fallback` refer to it. */
  name: string;
  adapter: AgentAdapter;
  /** Program and leading arguments that replace the adapter's own; always set for `command`. Never run by a shell. */
  command?: string[];
  model?: string;
  /** Further arguments, after the adapter's own. */
  args: string[];
  /** Variables set for the agent. */
  env: Record<string, string>;
  /** Names of variables let through from the worker's environment. */
  passEnv: string[];
  /** How a `command` agent answers; set for that adapter only. */
  output?: 'text' | 'json';
  /** The user states that this command runs inside a sandbox already. */
  sandboxed: boolean;
}
