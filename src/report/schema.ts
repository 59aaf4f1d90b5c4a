/**
 * The report of a run as data: `ralphctl report --json`, and the source of its text, Markdown and page.
 * Invariant: facts only, without words of a view. New versions add fields and never remove one. An absent field is
 * unknown. Times are epoch ms. Must import zod only.
 */
import { z } from 'zod';

const ms = z.number();
const lines = z.object({ added: z.number(), deleted: z.number() });
const tests = z.object({ passed: z.number(), total: z.number() });

/** The state of an idea that has not landed. */
const state = z.enum([
  'asks',
  'approve',
  'blocked',
  'timed out',
  'failed',
  'works',
  'lands',
  'waits',
  'ready',
  'held',
  'after',
  'skipped',
  'given up',
]);

const agentRun = z.object({
  number: z.number().describe('Number of the iteration. A run that is not charged repeats a number.'),
  at: ms,
  ms: ms.optional(),
  agent: z.string().optional(),
  signal: z.string().optional().describe('What the agent reported, as in `PROGRESS 60`.'),
  percent: z.number().optional(),
  outcome: z.enum(['ok', 'timeout', 'failed', 'interrupted']).optional(),
  commits: z.number().optional(),
  dollars: z.number().optional(),
  gate: z.object({ pass: z.boolean(), command: z.string().optional(), tests: tests.optional(), ms }).optional(),
});

const said = z.object({ at: ms, verb: z.string(), text: z.string().optional(), by: z.string().optional() });

const work = {
  idea: z.string(),
  title: z.string(),
  iterations: z.number(),
  ms: ms.optional().describe('From its first start to its end.'),
  dollars: z.number().optional(),
  unknownDollars: z.number().describe('Agent runs that did not report their cost.'),
  tokens: z.number().optional(),
  runs: z.array(agentRun),
  said: z.array(said),
  words: z.string().optional().describe('The last words of its agent.'),
};

const landed = z.object({
  ...work,
  at: ms.optional(),
  commit: z.string().optional(),
  commits: z.object({ from: z.string(), to: z.string(), count: z.number() }).optional(),
  lines: lines.optional(),
  tests: tests.optional(),
  look: z.array(z.string()),
});

const open = z.object({
  ...work,
  state,
  reason: z.string().optional().describe('Its question, or why it has not landed; whole.'),
  notes: z.array(z.string()),
  since: ms.optional(),
  percent: z.number().optional(),
  branch: z.string().optional().describe('Where its commits are kept.'),
  commits: z.number(),
  times: z.number().optional().describe('Runs in a row in which it ended like this, this one included.'),
  later: z.string().optional().describe('How it stands in a newer run.'),
  queued: z.literal(true).optional().describe('A person queued it again after the run, for the next start.'),
  forNext: z.array(z.string()).optional().describe('Commands of people that the next start carries out.'),
  gateLog: z.string().optional(),
});

const todo = z.object({
  idea: z.string().optional(),
  subject: z.string(),
  state: state.optional(),
  text: z.string(),
  notes: z.array(z.string()),
  since: ms.optional(),
  fix: z.string().describe('A sentence with the commands.'),
  commands: z.array(z.string()).describe('Whole commands, in their order.'),
});

export const reportSchema = z.object({
  version: z.literal(1),
  run: z.object({
    project: z.string(),
    runId: z.string(),
    name: z.string(),
    target: z.string(),
    state: z.string(),
    over: z.boolean(),
    why: z.string().optional(),
    startedAt: ms.optional(),
    endedAt: ms.optional(),
    ms: ms.optional(),
    agents: z.array(z.string()),
  }),
  counts: z.object({
    landed: z.number(),
    landedBefore: z.number(),
    open: z.number(),
    iterations: z.number(),
    conflicts: z.number(),
    dollars: z.number().optional(),
    unknownDollars: z.number(),
    tokens: z.number().optional(),
    unknownTokens: z.number(),
  }),
  target: z
    .object({
      from: z.string().optional(),
      to: z.string(),
      green: z.boolean().optional(),
      command: z.string().optional(),
      tests: tests.optional(),
      at: ms.optional(),
    })
    .optional()
    .describe('Where the landings of this run left the target, and the gate of the last one.'),
  todo: z.array(todo),
  landed: z.array(landed),
  open: z.array(open),
  groups: z.array(z.object({ id: z.string(), title: z.string(), done: z.number(), total: z.number() })),
  look: z.array(z.object({ kind: z.string(), text: z.string() })),
  slots: z
    .array(
      z.object({
        name: z.string(),
        bars: z.array(
          z.object({ idea: z.string().optional(), from: ms, to: ms, kind: z.enum(['agent', 'gate', 'limit']) }),
        ),
        marks: z.array(z.object({ idea: z.string(), at: ms, state: z.string() })),
      }),
    )
    .describe('Who worked when: a row for each slot, and one for each account that was at its limit.'),
  zone: z.string(),
  at: ms.describe('When this report was made.'),
});

export type Report = z.infer<typeof reportSchema>;
export type LandedIdea = z.infer<typeof landed>;
export type OpenIdea = z.infer<typeof open>;
export type Todo = z.infer<typeof todo>;
export type OpenState = z.infer<typeof state>;
export type AgentRun = z.infer<typeof agentRun>;

export const reportJsonSchema = () => ({
  title: 'Report of a run of ralphctl',
  ...z.toJSONSchema(reportSchema, { io: 'output' }),
});
