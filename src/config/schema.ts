/**
 * The whole configuration. Invariant: parsing fills in every default, so nobody downstream has one of their own, and
 * every agent named anywhere exists. Imports zod and this folder only.
 */
import { z } from 'zod';
import { BUILT_IN_AGENTS } from './agent-spec.js';
import { suggest } from './nearest.js';
import { agents } from './schema-agents.js';
import { budget, warnings } from './schema-budget.js';
import { minutes, name, repoPath, text } from './schema-common.js';
import { commit, gate, landing, setup, worktrees } from './schema-work.js';

const count = (least: number, most: number) => z.int().min(least).max(most);
const milliseconds = count(0, 86_400_000);
const weight = z.number().min(-1_000_000).max(1_000_000);

const branch = z.string().regex(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git forbids them in branch names
  /^(?!-|\/|refs\/|.*(?:\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)))(?!\.)[^\s~^:?*[\\\u0000-\u001f\u007f]+(?<![./])$/,
  'must be the name of a branch, such as "main"',
);

export const configSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Where the JSON Schema of this file is, for editors.'),
    version: z.literal(1).default(1).describe('Version of this file’s format.'),
    target: branch
      .optional()
      .describe('Branch that work lands on. Default: the branch your checkout is on when a run starts.'),
    backlog: text
      .optional()
      .describe(
        'The backlog file, relative to the repository root. Default: roadmap.md, specs/roadmap.md or ideas.yaml.',
      ),
    slots: count(1, 100).default(3).describe('Agents that run at the same time.'),
    agent: name.default('claude').describe('Agent for ideas that name none.'),
    agents,
    gate,
    setup,
    maxIterations: count(1, 10_000).default(50).describe('Agent runs an idea may take before it ends as timed out.'),
    timeoutMinutes: minutes
      .default(30)
      .describe('Minutes of work a whole idea may take: agent runs and gates, not waiting.'),
    iterationTimeoutMinutes: minutes.default(30).describe('Minutes one agent run may take.'),
    idleTimeoutMinutes: minutes.default(10).describe('Minutes an agent may stay silent before its run is ended.'),
    stepDelayMs: milliseconds.default(500).describe('Milliseconds between two iterations of an idea.'),
    autoCommit: z.boolean().default(true).describe('Commit what an iteration left uncommitted.'),
    commit,
    weights: z
      .strictObject({
        unblocks: weight.default(10).describe('For each idea that waits for this one.'),
        critical: weight.default(50).describe('For the tag "critical".'),
        quickWin: weight.default(30).describe('For the tag "quick-win".'),
        nearComplete: weight.default(20).describe('When more than half of the parent’s children are done.'),
        retry: weight.default(-15).describe('For each retry so far.'),
      })
      .prefault({})
      .describe('Points that decide which ready idea comes next; the highest sum wins.'),
    landing,
    worktrees,
    signals: z
      .strictObject({
        requireXml: z
          .boolean()
          .default(true)
          .describe('Only tagged signals count; false also accepts the plain promise text.'),
        promise: text
          .optional()
          .describe(
            'What an agent promises on completion, in ideas that name no promise of their own. Default: COMPLETE.',
          ),
      })
      .prefault({})
      .describe('How an agent says that it is done, blocked or needs you.'),
    prompt: z
      .strictObject({ template: repoPath.optional().describe('File with your own prompt template.') })
      .prefault({})
      .describe('What the agent is told.'),
    errors: z
      .strictObject({
        strategy: z
          .enum(['retry', 'skip', 'abort'])
          .default('retry')
          .describe(
            'What a failed agent run leads to: try again; skip the idea, or the step of its plan, which is no failure; or end the run.',
          ),
        maxRetries: count(0, 100).default(2).describe('Retries of one failed run.'),
        retryBaseMs: milliseconds.default(2000).describe('Milliseconds before the first retry; doubles with each.'),
        threshold: count(1, 1000).default(3).describe('Failed ideas in a row that pause the autopilot.'),
      })
      .prefault({})
      .describe('What happens when agent runs fail.'),
    limits: z
      .strictObject({
        maxRateLimitRetries: count(0, 100)
          .default(3)
          .describe('Tries on a limited agent before the fallback takes over.'),
        backoffMs: milliseconds.default(5000).describe('Milliseconds before the first of them.'),
        factor: z.number().min(1).max(100).default(3).describe('Each further wait is this many times longer.'),
        recoverPrimary: z.boolean().default(true).describe('Go back to the first agent as soon as its limit is over.'),
      })
      .prefault({})
      .describe('What happens at usage limits. A reset time that the agent states is always waited for.'),
    disk: z
      .strictObject({
        minFreeMegabytes: count(0, 100_000_000)
          .default(512)
          .describe('Megabytes that must be free on the disks of worktrees, repository and state folder.'),
        minFreeInodes: count(0, 1_000_000_000).default(5000).describe('Files for which there must be room on them.'),
      })
      .prefault({})
      .describe('Below this, nothing is started; ideas wait until there is room again.'),
    confinement: z
      .enum(['stop', 'off'])
      .default('stop')
      .describe(
        'What happens when an agent changes branches, stashes, settings or files of yours outside its worktree. stop: its idea waits for you. off: nobody is asked.',
      ),
    escalation: z
      .strictObject({
        after: count(1, 1000).default(4).describe('Iterations without progress before the first step.'),
        every: count(1, 1000).default(3).describe('Further ones before each next step.'),
        steps: z
          .array(z.enum(['nudge', 'fresh', 'stronger', 'other', 'ask']))
          .default(['nudge', 'fresh', 'stronger', 'other', 'ask'])
          .describe(
            'nudge: the agent is told to try another way; fresh: it is to begin again from a different idea, and is not told what happened last time; stronger: the agent works with what its `stronger` names, if it names anything; other: the next agent of `fallback` goes on, if there is one; ask: you are asked. What an idea has been given, it keeps. Empty: an idea goes on until its limits.',
          ),
      })
      .prefault({})
      .describe(
        'What happens when iterations get an idea nowhere: they leave what was there before, or the gate is red exactly as before.',
      ),
    fallback: z.array(name).default([]).describe('Agents that take over, in this order, when one is limited.'),
    budget,
    warnings,
    logs: z
      .strictObject({
        maxMegabytesPerRun: z
          .number()
          .min(1)
          .max(1_000_000)
          .default(256)
          .describe('Megabytes of agent output kept per agent run.'),
      })
      .prefault({})
      .describe('What is kept of agent output.'),
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
    config.fallback.forEach((agent, i) => {
      check(agent, ['fallback', i]);
    });
    return config;
  });

/** The configuration with every default filled in. */
export type Config = z.output<typeof configSchema>;
