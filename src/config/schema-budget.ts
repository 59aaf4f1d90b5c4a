/** The `budget` and `warnings` parts of the configuration. Imports zod only. */
import { z } from 'zod';

const some = z.number().gt(0).max(1e12);
const amount = {
  iterations: z.int().min(1).max(1_000_000).optional().describe('Agent runs.'),
  minutes: some.optional().describe('Minutes that agents work.'),
  tokens: some.optional().describe('Tokens in and out, as agents report them.'),
  dollars: some.optional().describe('US dollars, as agents report them.'),
};
const { iterations: _, ...ofOneRun } = amount;

export const budget = z
  .strictObject({
    iteration: z
      .strictObject(ofOneRun)
      .optional()
      .describe('One agent run: ended when it is used up, where the agent reports while it works.'),
    idea: z.strictObject(amount).optional().describe('One idea: at its end a question, with its slot free.'),
    run: z.strictObject(amount).optional().describe('The whole run: at its end a pause.'),
    day: z
      .strictObject(amount)
      .optional()
      .describe(
        'A calendar day of the worker’s host, over all runs of the project: at its end a pause until the next.',
      ),
    warnAt: z.number().gt(0).max(1).default(0.8).describe('Part of a budget from which on there is a warning.'),
  })
  .prefault({})
  .describe('What agents may use. What an agent does not report cannot be limited; it is shown as unknown.');

export const warnings = z
  .strictObject({
    stuckAfter: z
      .int()
      .min(2)
      .max(1000)
      .default(5)
      .describe('Iterations in a row that get the idea nowhere, as `escalation` counts them.'),
    iterationsAt: z.number().gt(0).max(1).default(0.8).describe('Part of maxIterations.'),
  })
  .prefault({})
  .describe('When an idea warns. The loop goes on meanwhile.');
