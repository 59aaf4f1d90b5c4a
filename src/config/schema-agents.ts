/**
 * The `agents` part of the configuration. Invariant: after parsing, every entry has an adapter and its command is a
 * list of words. Imports zod and the agent types only.
 */
import { z } from 'zod';
import { AGENT_ADAPTERS, type AgentAdapter } from './agent-spec.js';
import { splitCommand } from './argv.js';
import { envName, name, text } from './schema-common.js';

const command = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((value, ctx): string[] => {
    if (typeof value !== 'string') {
      if (value[0] === '') ctx.addIssue({ code: 'custom', message: 'must start with a program' });
      return value;
    }
    const split = splitCommand(value);
    if ('words' in split) return split.words;
    ctx.addIssue({ code: 'custom', message: `is no plain command: ${split.problem}` });
    return [];
  })
  .describe(
    'Program and leading arguments, as a list or one line without shell syntax. Replaces the adapter’s own; required for adapter "command".',
  );

const entry = z.strictObject({
  adapter: z
    .enum(AGENT_ADAPTERS)
    .optional()
    .describe(
      'How the agent is driven and its output understood. Default: the agent’s name, where that is an adapter.',
    ),
  command: command.optional(),
  model: text.optional().describe('Model name, passed to the agent as it is.'),
  args: z.array(z.string()).default([]).describe('Further arguments, after the adapter’s own.'),
  env: z.record(envName, z.string()).default({}).describe('Environment variables set for this agent.'),
  passEnv: z
    .array(envName)
    .default([])
    .describe('Names of variables let through from the environment of the worker, e.g. ANTHROPIC_API_KEY.'),
  output: z
    .enum(['text', 'json'])
    .optional()
    .describe('How an agent with adapter "command" answers: plain text (default) or JSON lines.'),
  sandboxed: z
    .boolean()
    .default(false)
    .describe(
      'You state that this command already runs inside a sandbox or container, so its permission checks may be off.',
    ),
});

const isAdapter = (value: string): value is AgentAdapter => (AGENT_ADAPTERS as readonly string[]).includes(value);

export const agents = z
  .record(name, entry)
  .default({})
  .transform((entries, ctx) =>
    Object.fromEntries(
      Object.entries(entries).map(([agent, given]) => {
        const adapter = given.adapter ?? (isAdapter(agent) ? agent : undefined);
        const bad = (key: keyof typeof given, message: string): void =>
          ctx.addIssue({ code: 'custom', path: [agent, key], message });
        if (!adapter) bad('adapter', `is missing: say one of ${AGENT_ADAPTERS.join(', ')}`);
        else if (adapter === 'command' && !given.command) bad('command', 'is missing: adapter "command" needs it');
        else if (adapter !== 'command' && given.output) bad('output', 'is for adapter "command" only');
        const output = adapter === 'command' ? { output: given.output ?? ('text' as const) } : {};
        return [agent, { ...given, adapter: adapter ?? 'command', ...output }];
      }),
    ),
  )
  .describe(
    'Your agents by name. claude, codex and scripted exist without an entry; an entry changes them or adds more.',
  );
