/**
 * The report of a run as data: `ralphctl report --json`, and the source of its text, Markdown and page.
 * Invariant: facts only, without words of a view. New versions add fields and never remove one. An absent field is
 * unknown. Times are epoch ms. May import zod and the constants of a field.
 */
import { z } from 'zod';
import { EMPTY_REASONS } from './slot-use.js';

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
  'stopped',
  'waits',
  'ready',
  'held',
  'after',
  'skipped',
  'given up',
]);

const agentRun = z.object({
  serial: z.number().describe('Number of the agent run, for `show` and `logs` with `--iteration`.'),
  number: z.number().describe('Number of the iteration. A run that is not charged repeats a number.'),
  at: ms,
  ms: ms.optional(),
  agent: z.string().optional(),
  signal: z.string().optional().describe('What the agent reported, as in `PROGRESS 60`.'),
  percent: z.number().optional(),
  turnedDown: z.literal(true).optional().describe('It reported COMPLETE, and that did not count.'),
  outcome: z.enum(['ok', 'timeout', 'failed', 'interrupted']).optional(),
  commits: z.number().optional(),
  dollars: z.number().optional(),
  gate: z
    .object({
      pass: z.boolean(),
      none: z.literal(true).optional().describe('No command is configured: nothing was judged.'),
      ...{ command: z.string().optional(), tests: tests.optional(), ms },
    })
    .optional(),
});

const said = z.object({
  ...{ at: ms, verb: z.string(), text: z.string().optional(), by: z.string().optional() },
  undelivered: z.literal(true).optional().describe('A hint that no prompt had: the idea landed first.'),
});

const work = {
  idea: z.string(),
  title: z.string(),
  iterations: z.number(),
  ms: ms.optional().describe('From its first start to its end, with its waits.'),
  agentMs: ms.optional().describe('How long its agents worked.'),
  dollars: z.number().optional(),
  unknownDollars: z.number().describe('Agent runs that did not report their cost.'),
  tokens: z.number().optional(),
  runs: z.array(agentRun),
  said: z.array(said),
  words: z.string().optional().describe('The last words of its agent.'),
};

const gone = z
  .object({
    text: z.string().describe('A sentence without its end.'),
    landed: z.string().describe('Its commit.'),
    by: z.string().optional().describe('The commit that took it off; missing: the branch was reset or rewritten.'),
    at: ms.optional().describe('When that commit was made.'),
    part: z.array(z.string()).optional().describe('The files that it took off, where the rest is still there.'),
    command: z
      .string()
      .describe(
        'Runs the idea again, or queues it; of a part: shows what was taken off; of a lost branch: brings it back.',
      ),
    start: z.string().optional().describe('The command after it, which starts the next run.'),
    runs: z.literal(true).optional().describe('The next start runs it by itself: `command` is that start.'),
    stays: z.literal(true).optional().describe('No start runs it before a retry.'),
    noBranch: z.literal(true).optional().describe('The branch itself is gone.'),
  })
  .describe('Its work has left the target since.');

const landed = z.object({
  ...work,
  gone: gone.optional(),
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
  leftOut: z.literal(true).optional().describe('A person had left it out before the run ended; not counted as open.'),
  times: z.number().optional().describe('Runs in a row in which it ended like this, this one included.'),
  later: z.string().optional().describe('How it stands in a newer run.'),
  queued: z.literal(true).optional().describe('A person queued it again after the run, for the next start.'),
  answered: z.literal(true).optional().describe('A person has answered its question after the run.'),
  forNext: z.array(z.string()).optional().describe('Commands of people that the next start carries out.'),
  gateLog: z.string().optional(),
  gateTail: z.string().optional().describe('The last lines of that file.'),
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
    older: z.literal(true).optional().describe('A newer run has done work since.'),
    why: z.string().optional(),
    still: z.string().optional().describe('Why nothing moves: no worker runs, or no server.'),
    startedAt: ms.optional(),
    endedAt: ms.optional(),
    ms: ms.optional(),
    agents: z.array(z.string()),
  }),
  counts: z.object({
    landed: z.number(),
    landedBefore: z.number(),
    open: z.number(),
    leftOut: z.number().optional().describe('Ideas that a person skipped or gave up; not counted as open.'),
    iterations: z.number(),
    runs: z.number().optional().describe('All agent runs, where some cost no iteration.'),
    conflicts: z.number(),
    gone: z.number().optional().describe('Landed ideas of which nothing is on the target any more.'),
    dollars: z.number().optional(),
    unknownDollars: z.number(),
    tokens: z.number().optional(),
    unknownTokens: z.number(),
  }),
  target: z
    .object({
      from: z.string().optional(),
      to: z.string(),
      now: z.string().optional().describe('Its tip, where that is another commit, which the run did not gate.'),
      missing: z.literal(true).optional().describe('The branch does not exist any more.'),
      green: z.boolean().optional().describe('Missing where no gate judged it.'),
      noGate: z.literal(true).optional().describe('No gate is configured.'),
      command: z.string().optional(),
      tests: tests.optional(),
      at: ms.optional(),
    })
    .optional()
    .describe('Where the landings of this run left the target, and the gate of the last one.'),
  since: z
    .array(z.object({ what: z.string(), ideas: z.array(z.string()) }))
    .optional()
    .describe('What has changed since the run ended. The counts are those of its end.'),
  todo: z.array(todo),
  landed: z.array(landed),
  open: z.array(open),
  groups: z.array(z.object({ id: z.string(), title: z.string(), done: z.number(), total: z.number() })),
  look: z.array(z.object({ kind: z.string(), text: z.string() })),
  waves: z
    .array(
      z.object({
        ...{ wave: z.number(), of: z.number(), taken: z.array(z.string()) },
        ...{ rejected: z.number().optional(), left: z.number().optional() },
        ...{ startedAt: ms.optional(), endedAt: ms.optional() },
        read: z
          .object({
            ...{ agent: z.string(), reports: z.number(), byRules: z.number(), why: z.string().optional() },
            spent: z.object({
              ...{ iterations: z.number(), ms, tokens: z.number(), dollars: z.number() },
              ...{ unknownTokens: z.number(), unknownDollars: z.number() },
            }),
          })
          .optional()
          .describe('An agent read reports for this wave.'),
        summary: z
          .object({
            ...{ attempted: z.number(), passed: z.number(), failed: z.number(), skipped: z.number() },
            ...{ waiting: z.number(), ms, dollars: z.number() },
          })
          .optional()
          .describe('Of a wave that is over.'),
      }),
    )
    .optional()
    .describe('Of a run with waves.'),
  rejected: z
    .array(
      z.object({
        ...{ report: z.string(), as: z.string(), title: z.string(), gate: z.string(), reason: z.string() },
        ...{ quote: z.string(), duplicateOf: z.string().optional(), judgedBy: z.string().optional() },
      }),
    )
    .optional()
    .describe('Reports that triage kept from the agents of a run with waves.'),
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
  slotTime: z
    .object({
      agentMs: ms.describe('With an agent at work.'),
      heldMs: ms.describe('Held without one: preparing, settling, pauses, approvals.'),
      empty: z.partialRecord(z.enum(EMPTY_REASONS), ms).describe('Empty, by reason.'),
    })
    .optional()
    .describe('How the slots spent their time, all of them together.'),
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
