/**
 * Resolves an agent's name to the settings of its adapter.
 */
import { type AgentSpec, BUILT_IN_AGENTS } from './agent-spec.js';
import { suggest } from './problems.js';
import type { Config } from './schema/config.js';

/** Names that `agent`, `fallback` and ideas may use. */
export const agentNames = (config: Config): string[] => [
  ...new Set([...BUILT_IN_AGENTS, ...Object.keys(config.agents)]),
];

/**
 * `stronger`: use the agent's stronger model or effort, where it has one.
 * @throws Error that names the known agents when none has this name
 */
export function resolveAgent(config: Config, name: string, stronger = false): AgentSpec {
  const entry = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  if (entry) {
    const { stronger: more, ...usual } = entry;
    return { name, ...usual, ...(stronger ? more : {}) };
  }
  const adapter = BUILT_IN_AGENTS.find((known) => known === name);
  if (adapter) return { name, adapter, args: [], env: {}, passEnv: [], sandboxed: false };
  const known = agentNames(config);
  const hint = suggest(name, known);
  throw new Error(
    `there is no agent "${name}"${hint?.startsWith('did') ? `; ${hint}` : ''}. Known agents: ${known.join(', ')}. Add it under "agents" in ralphctl.yaml`,
  );
}
