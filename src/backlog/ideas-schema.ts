/** The shape of ideas.yaml and ideas.json (F2). `validate.ts` checks relations between ideas. Must import zod only. */
import { z } from 'zod';
import { IDEA_ID, MOST_STEPS } from '../protocol/idea.js';

const id = z
  .string()
  .regex(
    IDEA_ID,
    'cannot be an id: use letters, digits, ".", "_" and "-" (at most 64), starting with a letter or digit',
  );
const text = z.string().regex(/\S/, 'must not be empty');
const minutes = z.number().gt(0).max(10_080);
const oneOrMore = <T extends z.ZodType<string>>(item: T) => z.union([item, z.array(item)]);

const plan = z.strictObject({
  phases: z
    .array(
      z.strictObject({
        name: text.describe('Name of the phase.'),
        steps: z
          .array(
            z.union([
              text,
              z.strictObject({
                id: id
                  .optional()
                  .describe('Unique in the plan. Default: number of the phase, a dot, number of the step.'),
                text: text.describe('Task of this step.'),
                maxIterations: z
                  .int()
                  .min(1)
                  .max(10_000)
                  .optional()
                  .describe('Most agent runs for this step. Default: the runs that the idea has left.'),
                optional: z
                  .boolean()
                  .optional()
                  .describe('true: ralphctl skips the step when it fails, is blocked or uses up its runs.'),
              }),
            ]),
          )
          .min(1)
          .max(100)
          .describe('Steps, in order.'),
      }),
    )
    .min(1)
    .max(20)
    .describe('Phases, in order.'),
});

const idea = z.strictObject({
  id: id.describe('Unique in the backlog. Branches, folders and commits contain it.'),
  title: text.optional().describe('One line. Default: the first line of the text.'),
  text: text.optional().describe('The whole task, for the agent. Default: the title.'),
  description: text.optional().describe('The same as text.'),
  kind: z
    .enum(['blue', 'green'])
    .optional()
    .describe(
      'blue: an epic, a group that never runs itself. green: an idea, work for an agent. Default: blue if it has children.',
    ),
  parent: id.optional().describe('Id of its epic. Not needed below "children".'),
  get children() {
    return z.array(idea).optional().describe('Ideas below this one. They make it an epic.');
  },
  dependsOn: oneOrMore(id)
    .default([])
    .describe('Ids that must land before this idea starts. The id of an epic means all its children.'),
  tags: oneOrMore(text).default([]).describe('Labels; "critical" and "quick-win" raise the score.'),
  priority: z
    .int()
    .min(-MOST_STEPS)
    .max(MOST_STEPS)
    .optional()
    .describe('Steps above (or, negative, below) normal. Each is worth `weights.priority` in the score.'),
  done: z.boolean().default(false).describe('Already done. ralphctl sets it when the idea lands.'),
  ralph: z.boolean().default(true).describe('true: iterate until the idea is complete. false: one attempt.'),
  maxIterations: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Most agent runs for the idea. Default: the configuration’s.'),
  timeoutMinutes: minutes
    .optional()
    .describe('Minutes of work until the idea times out; waiting does not count. Default: the configuration’s.'),
  iterationTimeoutMinutes: minutes
    .optional()
    .describe('Minutes until one agent run times out. Default: the configuration’s.'),
  promise: text.optional().describe('Text the agent promises on completion. Default: COMPLETE.'),
  requireXml: z.boolean().optional().describe('Accept only a tagged promise. Default: the configuration’s.'),
  success: oneOrMore(text).default([]).describe('Success criteria for the agent’s prompt.'),
  agent: text.optional().describe('Agent name from the configuration. Default: the configuration’s.'),
  allowEmpty: z.boolean().default(false).describe('The idea may complete without any change, e.g. an investigation.'),
  plan: plan.optional().describe('Phases of steps, run in order.'),
});

export type RawIdea = z.output<typeof idea>;

const whole = z.strictObject({
  $schema: z.string().optional().describe('Location of this file’s JSON Schema, for editors.'),
  version: z.literal(1).default(1).describe('Version of this file’s format.'),
  ideas: z.array(idea).describe('The ideas. Their order breaks ties between equal scores.'),
});

/** A file with `version` and `ideas`, or a bare list of ideas. */
export const ideasSchema = z
  .union([z.array(idea), whole])
  .transform((value) => (Array.isArray(value) ? value : value.ideas));
