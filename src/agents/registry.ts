/**
 * All adapters by name. To add one: write it, add it here, and give it fixtures and a row in docs/agents.md.
 * docs/architecture.md ("Where to look") lists the other places.
 */
import type { AgentSpec } from '../config/agent-spec.js';
import { aider } from './adapters/aider.js';
import { claude } from './adapters/claude.js';
import { codex } from './adapters/codex.js';
import { command } from './adapters/command.js';
import { copilot } from './adapters/copilot.js';
import { gemini } from './adapters/gemini.js';
import { opencode } from './adapters/opencode.js';
import { pi } from './adapters/pi.js';
import { qwen } from './adapters/qwen.js';
import { scripted } from './adapters/scripted.js';
import { type AgentAdapter, AgentConfigError } from './types.js';

const ADAPTERS: Readonly<Record<AgentSpec['adapter'], AgentAdapter>> = {
  ...{ claude, codex, gemini, opencode, aider, copilot, qwen, pi },
  ...{ command, scripted },
};

export const KNOWN_ADAPTERS = Object.keys(ADAPTERS) as ReadonlyArray<AgentSpec['adapter']>;

/** The adapter of an agent. Throws an AgentConfigError with the known ones. */
export function adapterFor(spec: AgentSpec): AgentAdapter {
  if (Object.hasOwn(ADAPTERS, spec.adapter)) return ADAPTERS[spec.adapter];
  throw new AgentConfigError(
    `The agent ${spec.name} has the unknown adapter "${spec.adapter}". Known adapters: ${KNOWN_ADAPTERS.join(', ')}; use "command" for any other program.`,
  );
}
