/**
 * The whole configuration. Invariant: parsing fills in every default, so no other module has defaults, and every named
 * agent exists. Imports zod and this folder only.
 */
import { z } from 'zod';
import { FORMAT_NAMES } from '../../protocol/backlog-formats.js';
import { type AgentSpec, BUILT_IN_AGENTS } from '../agent-spec.js';
import { suggest } from '../problems.js';
import { agents } from './agents.js';
import { awake } from './awake.js';
import { budget, minutes, name, repoPath, text, warnings } from './common.js';
import { metrics } from './metrics.js';
import { notify } from './notify.js';
import { payloads } from './payloads.js';
import { retention } from './retention.js';
import { sandbox } from './sandbox.js';
import { tracker } from './tracker.js';
import { triage } from './triage.js';
import { waves } from './waves.js';
import { commit, gate, landing, setup } from './work.js';
import { worktrees } from './worktrees.js';

const count = (least: number, most: number) => z.int().min(least).max(most);
const milliseconds = count(0, 86_400_000);
const weight = z.number().min(-1_000_000).max(1_000_000);

const A_BRANCH = 'must be the name of a branch, such as "main"';
const branch = z
  .string()
  .regex(/^(?!-|\/|refs\/|.*(?:\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)))(?!\.)[^\s~^:?*[\\]+(?<![./])$/, A_BRANCH)
  // Apart from the pattern, which editors read from the schema: not all of them know this class.
  .refine((name) => !/\p{Cc}/u.test(name), A_BRANCH);

export const configSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Location of this file’s JSON Schema, for editors.'),
    version: z.literal(1).default(1).describe('Version of this file’s format.'),
    target: branch
      .optional()
      .describe('Branch that work lands on. Default: the branch of your checkout when a run starts.'),
    backlogFormat: z
      .enum(FORMAT_NAMES)
      .optional()
      .describe('Format of the backlog, where its name and content leave more than one. Default: detected.'),
    backlog: z
      .union([text, tracker])
      .optional()
      .describe(
        'The backlog file, relative to the repository root, or a tracker. Default: roadmap.md, specs/roadmap.md or ideas.yaml.',
      ),
    awake,
    slots: count(1, 100).default(3).describe('How many agents run at the same time.'),
    agent: name.default('claude').describe('Agent for ideas that do not name one.'),
    agents,
    gate,
    setup,
    maxIterations: count(1, 10_000).default(50).describe('Most agent runs for an idea. After that the idea times out.'),
    timeoutMinutes: minutes
      .default(30)
      .describe('Minutes of work until an idea times out. Agent runs and gates count; waiting does not.'),
    iterationTimeoutMinutes: minutes.default(30).describe('Minutes until one agent run times out.'),
    idleTimeoutMinutes: minutes.default(10).describe('Minutes of silence until ralphctl ends an agent run.'),
    stepDelayMs: milliseconds.default(500).describe('Milliseconds between two iterations of an idea.'),
    autoCommit: z.boolean().default(true).describe('Commit the changes that an iteration left uncommitted.'),
    commit,
    weights: z
      .strictObject({
        unblocks: weight.default(10).describe('For each idea that waits for this one, or for an epic above it.'),
        critical: weight.default(50).describe('For the tag "critical".'),
        quickWin: weight.default(30).describe('For the tag "quick-win".'),
        priority: weight
          .default(20)
          .describe('For each step of priority above normal; below normal it counts against.'),
        nearComplete: weight.default(20).describe('If more than half of the parent’s children are done.'),
        retry: weight.default(-15).describe('For each retry so far, those of earlier runs included.'),
      })
      .prefault({})
      .describe('Points that decide which ready idea starts next. The highest sum wins.'),
    landing,
    worktrees,
    signals: z
      .strictObject({
        requireXml: z
          .boolean()
          .default(true)
          .describe('Accept only tagged signals. false also accepts the plain promise text.'),
        promise: text.optional().describe('Completion promise for ideas without their own. Default: COMPLETE.'),
      })
      .prefault({})
      .describe('How an agent signals that it is done, is blocked or needs you.'),
    prompt: z
      .strictObject({ template: repoPath.optional().describe('File with your own prompt template.') })
      .prefault({})
      .describe('The prompt that the agent gets.'),
    errors: z
      .strictObject({
        strategy: z
          .enum(['retry', 'skip', 'abort'])
          .default('retry')
          .describe(
            'What ralphctl does after a failed agent run. retry: retry the run. skip: skip the idea, or the step of its plan, without counting a failure. abort: end the whole run.',
          ),
        maxRetries: count(0, 100).default(2).describe('Most retries of one failed agent run.'),
        retryBaseMs: milliseconds
          .default(2000)
          .describe('Milliseconds before the first retry. The wait doubles with each retry.'),
        threshold: count(1, 1000).default(3).describe('How many failed ideas in a row pause the run.'),
      })
      .prefault({})
      .describe('What ralphctl does when agent runs fail.'),
    limits: z
      .strictObject({
        maxRateLimitRetries: count(0, 100)
          .default(3)
          .describe('Retries on a limited agent before the fallback takes over.'),
        backoffMs: milliseconds.default(5000).describe('Milliseconds before the first retry.'),
        factor: z.number().min(1).max(100).default(3).describe('Factor by which each further wait grows.'),
        recoverPrimary: z.boolean().default(true).describe('Return to the first agent as soon as its limit is over.'),
      })
      .prefault({})
      .describe('What ralphctl does at usage limits. If the agent states a reset time, ralphctl always waits for it.'),
    disk: z
      .strictObject({
        minFreeMegabytes: count(0, 100_000_000)
          .default(512)
          .describe('Megabytes of free disk space that worktrees, repository and state folder need.'),
        minFreeInodes: count(0, 1_000_000_000).default(5000).describe('Free inodes that their disks need.'),
      })
      .prefault({})
      .describe('Minimum free disk space. Below it ralphctl starts nothing, and ideas wait until there is enough.'),
    confinement: z
      .enum(['stop', 'off'])
      .default('stop')
      .describe(
        'What ralphctl does after out-of-bounds changes: an agent changes your branches, stashes, settings or files outside its worktree. stop: its idea waits for you. off: ralphctl does not ask.',
      ),
    sandbox,
    escalation: z
      .strictObject({
        after: count(1, 1000).default(4).describe('Iterations without progress before the first step.'),
        every: count(1, 1000).default(3).describe('More such iterations before each next step.'),
        steps: z
          .array(z.enum(['nudge', 'fresh', 'stronger', 'other', 'ask']))
          .default(['nudge', 'fresh', 'stronger', 'other', 'ask'])
          .describe(
            'nudge: the prompt tells the agent to try another way. fresh: the prompt tells it to begin again with a different approach, and leaves out the last iteration’s result. stronger: the agent uses its `stronger` model or effort, if it has one. other: the next agent of `fallback` takes over, if there is one. ask: ralphctl asks you. A stronger model or another agent stays until the idea ends. Empty: an idea continues until its limits.',
          ),
      })
      .prefault({})
      .describe(
        'What ralphctl does when an idea stops making progress: iterations leave the files as they were before, the gate is red exactly as before, or COMPLETE is turned down for the same reason as before.',
      ),
    waves,
    triage,
    fallback: z.array(name).default([]).describe('Agents that take over, in this order, when one reaches a limit.'),
    budget,
    warnings,
    notify,
    logs: z
      .strictObject({
        maxMegabytesPerRun: z
          .number()
          .min(1)
          .max(1_000_000)
          .default(256)
          .describe(
            'Megabytes of output that ralphctl keeps for each agent run, gate command and set-up: its beginning and its end.',
          ),
      })
      .prefault({})
      .describe('How much output of agents, gates and set-up ralphctl keeps.'),
    retention,
    metrics,
    payloads,
  })
  .transform(({ $schema: _, ...config }, ctx) => {
    const known = [...new Set([...BUILT_IN_AGENTS, ...Object.keys(config.agents)])];
    const check = (agent: string, path: PropertyKey[]): void => {
      if (known.includes(agent)) return;
      const hint = suggest(agent, known);
      const names = `known agents: ${known.join(', ')}`;
      const message = `names an agent that does not exist: "${agent}"; ${hint?.startsWith('did') ? `${hint} (${names})` : names}`;
      ctx.addIssue({ code: 'custom', path, message });
    };
    check(config.agent, ['agent']);
    if (config.triage.agent !== 'off') check(config.triage.agent, ['triage', 'agent']);
    config.fallback.forEach((agent, i) => {
      check(agent, ['fallback', i]);
    });
    return config;
  });

/** The configuration with every default filled in. */
export type Config = z.output<typeof configSchema>;

/*
 * Resolves an agent's name to the settings of its adapter.
 */

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
