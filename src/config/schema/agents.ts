/**
 * The `agents` part of the configuration. Invariant: after parsing, every entry has an adapter and its command is a
 * list of words. Imports zod and the agent types only.
 */
import { z } from 'zod';
import { ADAPTER_OPTIONS, AGENT_ADAPTERS, type AgentAdapter, type AgentOption, providerOf } from '../agent-spec.js';
import { envName, name, text } from './common.js';

const command = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((value, ctx): string[] => {
    if (typeof value !== 'string') {
      if (value[0] === '') ctx.addIssue({ code: 'custom', message: 'must start with a program' });
      return value;
    }
    const split = splitCommand(value);
    if ('words' in split) return split.words;
    ctx.addIssue({ code: 'custom', message: `is not a plain command: ${split.problem}` });
    return [];
  })
  .describe(
    'Program and leading arguments, as a list or one line without shell syntax. Replaces the adapter’s own command. Adapter "command" requires it.',
  );

const pattern = text.max(500).refine(
  (source) => {
    try {
      new RegExp(source, 'i');
      return true;
    } catch {
      return false;
    }
  },
  { error: 'is not a valid regular expression' },
);

const entry = z.strictObject({
  adapter: z
    .enum(AGENT_ADAPTERS)
    .optional()
    .describe(
      'How ralphctl drives the agent and reads its output. Default: the agent’s name, if an adapter has that name.',
    ),
  command: command.optional(),
  model: text.optional().describe('Model name. ralphctl passes it to the agent unchanged.'),
  effort: text.optional().describe('How hard the model thinks, in the agent’s own words, such as "low" or "high".'),
  stronger: z
    .strictObject({
      model: text
        .optional()
        .describe(
          'Replaces `model`. The model must be of the same provider; for another provider, define another agent.',
        ),
      effort: text.optional().describe('Replaces `effort`.'),
    })
    .refine(({ model, effort }) => model !== undefined || effort !== undefined, {
      error: 'needs model or effort',
    })
    .optional()
    .describe(
      'Model and effort that this agent uses from the step "stronger" of `escalation.steps` until the idea ends.',
    ),
  maxTurns: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Most model answers in one run. Work continues in the next run.'),
  maxBudgetUsd: z
    .number()
    .gt(0)
    .max(100_000)
    .optional()
    .describe('Most US dollars for one run. The agent itself counts them; at the limit ralphctl asks you.'),
  args: z.array(z.string()).default([]).describe('More arguments, after the adapter’s own.'),
  env: z.record(envName, z.string()).default({}).describe('Environment variables set for this agent.'),
  passEnv: z
    .array(envName)
    .default([])
    .describe('Names of variables that the agent gets from the worker’s environment, e.g. ANTHROPIC_API_KEY.'),
  output: z
    .enum(['text', 'json'])
    .optional()
    .describe('Output format of an agent with adapter "command": plain text (default) or JSON lines.'),
  failures: z
    .array(
      z.strictObject({
        match: pattern.describe('Regular expression. It ignores case.'),
        kind: z
          .enum(['transient', 'limited', 'auth', 'config', 'context', 'budget', 'agent'])
          .describe('Kind of failure of a run with this error.'),
      }),
    )
    .optional()
    .describe(
      'Patterns that map error text to a kind of failure. ralphctl applies them to the error text of failed runs only, before the built-in patterns.',
    ),
  sandboxed: z
    .boolean()
    .default(false)
    .describe(
      'You confirm that this command already runs inside a sandbox or container, so ralphctl may turn its permission checks off.',
    ),
});

const OPTIONS: readonly AgentOption[] = ['effort', 'maxTurns', 'maxBudgetUsd'];

/** A limit belongs to an account, and each provider has its own account. */
function refuseStronger(adapter: AgentAdapter, given: z.output<typeof entry>, bad: (message: string) => void): void {
  const { model, effort } = given.stronger ?? {};
  if (adapter === 'scripted') bad('needs an agent with a model; "scripted" has none');
  else if (effort !== undefined && !ADAPTER_OPTIONS[adapter].includes('effort')) {
    bad(`names an effort, which ${adapter} does not support; name a model`);
  }
  if (model === undefined || providerOf(model) === providerOf(given.model)) return;
  bad(
    `names a model of another provider (${model}) than the agent's own (${given.model ?? 'none named'}); define another agent for it, and name that under "fallback"`,
  );
}

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
        if (!adapter) bad('adapter', `is missing: use one of ${AGENT_ADAPTERS.join(', ')}`);
        else if (adapter === 'command' && !given.command) bad('command', 'is missing: adapter "command" needs it');
        else if (adapter !== 'command' && given.output) bad('output', 'works only with adapter "command"');
        for (const option of OPTIONS) {
          if (!adapter || given[option] === undefined || ADAPTER_OPTIONS[adapter].includes(option)) continue;
          const able = AGENT_ADAPTERS.filter((one) => ADAPTER_OPTIONS[one].includes(option)).join(', ');
          bad(option, `is not supported by ${adapter}, only by ${able}. Use args for the CLI’s own options`);
        }
        if (adapter && given.stronger) refuseStronger(adapter, given, (message) => bad('stronger', message));
        const output = adapter === 'command' ? { output: given.output ?? ('text' as const) } : {};
        return [agent, { ...given, adapter: adapter ?? 'command', ...output }];
      }),
    ),
  )
  .describe(
    'Your agents by name. claude, codex, gemini, opencode, aider, copilot, qwen, pi and scripted exist without an entry. An entry changes one of them or adds another.',
  );

/**
 * A command line written as one string, split into words the way a shell splits it, without running a shell.
 * Must not import anything.
 */
const OPERATOR = /[|&;<>()`$*?]/;

/** The words, or the reason why the text is not a plain command. */
export function splitCommand(text: string): { words: string[] } | { problem: string } {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (quote !== undefined) {
      if (c === quote) quote = undefined;
      else if (c === '\\' && quote === '"' && /["\\]/.test(text.charAt(i + 1))) word += text.charAt(++i);
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= '';
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (c === '\\' && i + 1 < text.length) word = (word ?? '') + text.charAt(++i);
    else if (OPERATOR.test(c)) return { problem: `"${c}" needs a shell: write ["sh", "-c", "…"]` };
    else word = (word ?? '') + c;
  }
  if (quote !== undefined) return { problem: `the quote ${quote} is not closed` };
  if (word !== undefined) words.push(word);
  return words.length > 0 && words[0] !== '' ? { words } : { problem: 'the command is empty' };
}
