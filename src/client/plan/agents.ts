/** The agents of a plan: each must be known and, before a start, its program must be there. Reads only. */
import { isAbsolute, relative } from 'node:path';
import { adapterFor } from '../../agents/registry.js';
import { nearest } from '../../config/problems.js';
import { agentNames, type Config, resolveAgent } from '../../config/schema/config.js';
import type { Idea } from '../../protocol/idea.js';
import { UserError } from '../../protocol/user-error.js';
import { isExecutable, which } from '../../server/install/probe.js';
import type { Context } from '../context.js';

/** The agents of a run, each with an idea that names it. `later`: waves bring more ideas. */
export function usedAgents(config: Config, ideas: readonly Idea[], later = false): Map<string, Idea | undefined> {
  const usedBy = new Map<string, Idea | undefined>([[config.agent, undefined]]);
  for (const idea of ideas) if (idea.agent && !idea.done) usedBy.set(idea.agent, idea);
  if (!later && ideas.every((idea) => idea.agent || idea.done || idea.blue)) usedBy.delete(config.agent);
  // A fallback must exist before the run needs it.
  for (const name of config.fallback) usedBy.set(name, undefined);
  return usedBy;
}

/** @throws UserError when the agent is unknown or, with `programs`, when its program is missing */
export async function checkAgent(
  context: Context,
  config: Config,
  [name, idea]: readonly [name: string, idea: Idea | undefined],
  root: string,
  programs: boolean,
): Promise<void> {
  const known = agentNames(config);
  if (!known.includes(name)) {
    const where = idea ? ` (${relative(root, idea.source.file)}:${idea.source.line})` : '';
    const close = nearest(name, known);
    throw new UserError(
      `unknown agent "${name}"${where}. Known agents: ${known.join(', ')}${close ? `. Did you mean ${close}?` : ''}`,
    );
  }
  if (!programs) return;
  const spec = resolveAgent(config, name);
  const { argv } = adapterFor(spec).invocation(spec, {
    prompt: '',
    cwd: root,
    nonce: 'check',
    idea: 'check',
    iteration: 1,
    scratch: root,
    sessionId: '',
  });
  const program = argv[0] ?? '';
  if (isAbsolute(program) && !(await isExecutable(program))) {
    throw new UserError(
      `the program ${program} of agent ${name} does not exist or is not executable (chmod +x). Fix agents.${name}.command in ralphctl.yaml, or choose another agent: --agent NAME`,
    );
  }
  if (program.includes('/')) return;
  if ((await which(program, context.env)) === undefined) {
    throw new UserError(
      `the program "${program}" of agent ${name} is not on PATH. Install it, set agents.${name}.command in ralphctl.yaml, or choose another agent: --agent NAME`,
    );
  }
}

/** Every agent that some idea names. @throws UserError at the first that cannot run */
export async function checkAgents(
  context: Context,
  config: Config,
  ideas: readonly Idea[],
  { root, later }: { root: string; later: boolean },
): Promise<void> {
  for (const one of usedAgents(config, ideas, later)) await checkAgent(context, config, one, root, true);
}
