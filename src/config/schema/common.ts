/**
 * Pieces that several parts of the configuration share. Imports zod only.
 */
import { z } from 'zod';

export const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, 'must be a name of letters, digits, ".", "_" and "-" (at most 40)');

export const text = z.string().min(1);

/** Minutes, at most a week. Fractions are allowed. */
export const minutes = z.number().gt(0).max(10_080);

/** Path below the repository root. */
export const repoPath = z
  .string()
  .min(1)
  .refine(
    (path) => !/^(?:[/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes('..') && !path.includes('\0'),
    {
      error: 'must be a path inside the repository, relative to its root',
    },
  );

/** One command: a shell runs text; a list runs without a shell. */
export const run = z.union([z.string().regex(/\S/, 'must not be empty'), z.array(z.string()).min(1)]);

export const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable');

/* The `budget` and `warnings` parts of the configuration. Imports zod only. */

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
