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
      .describe('One agent run. ralphctl ends the run at the limit, if the agent reports its usage while it works.'),
    idea: z
      .strictObject(amount)
      .optional()
      .describe('One idea. At the limit ralphctl asks you, and the idea releases its slot.'),
    run: z.strictObject(amount).optional().describe('The whole run. At the limit the run pauses.'),
    day: z
      .strictObject(amount)
      .optional()
      .describe(
        'A calendar day of the worker’s host, over all runs of the project. At the limit the run pauses until the next day.',
      ),
    warnAt: z.number().gt(0).max(1).default(0.8).describe('Fraction of a budget at which ralphctl warns.'),
  })
  .prefault({})
  .describe(
    'Limits on what agents use. ralphctl cannot limit usage that an agent does not report, and shows it as unknown.',
  );

export const warnings = z
  .strictObject({
    stuckAfter: z
      .int()
      .min(2)
      .max(1000)
      .default(5)
      .describe('Iterations in a row without progress, as `escalation` counts them.'),
    iterationsAt: z.number().gt(0).max(1).default(0.8).describe('Fraction of maxIterations.'),
  })
  .prefault({})
  .describe('When an idea warns. It keeps working.');
