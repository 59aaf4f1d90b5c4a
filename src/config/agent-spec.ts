/**
 * The configuration of one agent with all defaults, as the adapters in src/agents take it.
 * Must not import anything.
 */

/** Adapters of ralphctl. `command` runs any program; `scripted` follows a script, for demos and tests. */
export const AGENT_ADAPTERS = [
  ...(['claude', 'codex', 'gemini', 'opencode', 'aider', 'copilot', 'qwen', 'pi'] as const),
  ...(['command', 'scripted'] as const),
] as const;
export type AgentAdapter = (typeof AGENT_ADAPTERS)[number];

/** Agents that exist without an entry in the configuration. */
export const BUILT_IN_AGENTS = [
  ...(['claude', 'codex', 'gemini', 'opencode', 'aider', 'copilot', 'qwen', 'pi', 'scripted'] as const),
] satisfies readonly AgentAdapter[];

/** The options that each CLI has. The configuration refuses any other option. */
export type AgentOption = 'model' | 'effort' | 'maxTurns' | 'maxBudgetUsd';
export const ADAPTER_OPTIONS: Readonly<Record<AgentAdapter, readonly AgentOption[]>> = {
  claude: ['model', 'effort', 'maxTurns', 'maxBudgetUsd'],
  codex: ['model', 'effort'],
  gemini: ['model'],
  opencode: ['model', 'effort'],
  aider: ['model', 'effort'],
  copilot: ['model', 'effort'],
  qwen: ['model', 'maxTurns'],
  pi: ['model', 'effort'],
  command: ['model'],
  scripted: ['model'],
};

/** A pattern that decides the failure kind of a failed run from its error. It comes before the built-in patterns. */
export interface FailureWords {
  /** Regular expression, case-insensitive. */
  match: string;
  kind: 'transient' | 'limited' | 'auth' | 'config' | 'context' | 'budget' | 'agent';
}

export interface AgentSpec {
  /** Name in the configuration; ideas and `fallback` refer to it. */
  name: string;
  adapter: AgentAdapter;
  /** Program and leading arguments that replace the adapter's own; always set for `command`. Never run by a shell. */
  command?: string[];
  model?: string;
  /** How hard the model thinks, in the CLI's own words. */
  effort?: string;
  /** Answers of the model that one run may take. */
  maxTurns?: number;
  /** US dollars that one run may cost. */
  maxBudgetUsd?: number;
  /** Further arguments, after the adapter's own. */
  args: string[];
  /** Variables set for the agent. */
  env: Record<string, string>;
  /** Names of variables that the agent gets from the worker's environment. */
  passEnv: string[];
  /** Output format of a `command` agent; set for that adapter only. */
  output?: 'text' | 'json';
  /** The user confirms that this command already runs inside a sandbox. */
  sandboxed: boolean;
  /** Absent: only the built-in patterns. */
  failures?: FailureWords[];
}

/**
 * The provider in a model's name. `anthropic/opus` and `openai/gpt` use two accounts of one CLI. Empty: the name has
 * none.
 */
export function providerOf(model: string | undefined): string {
  const slash = model?.indexOf('/') ?? -1;
  return slash > 0 ? (model ?? '').slice(0, slash) : '';
}
