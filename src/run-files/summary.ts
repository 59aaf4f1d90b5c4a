/**
 * Reads the summary that a run writes at its end.
 * Invariant: a damaged summary counts as missing, and `damaged` gets a sentence that names the file. No view fails
 * because of it.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { runDir } from '../config/paths.js';
import { readStored } from '../config/stored.js';
import { StoredFileError } from '../config/stored-error.js';
import type { SummaryFile } from '../model/facts.js';
import type { RunRef } from '../protocol/run-ref.js';
import { IDEA_STATUSES } from '../protocol/states.js';
import { texts } from './shapes.js';

const text = z.string().optional();
const number = z.number().optional();
const tests = z.looseObject({ passed: z.number(), total: z.number() }).optional();
const tally = z.looseObject({
  ...{ iterations: z.number(), ms: z.number(), tokensIn: z.number(), tokensOut: z.number(), dollars: z.number() },
  ...{ unknownTokens: z.number(), unknownDollars: z.number() },
});
const gate = z.looseObject({ at: z.number(), pass: z.boolean(), command: text, tests }).optional();

/** What the views read, on every level. */
const SUMMARY = z.looseObject({
  outcome: z.enum(['completed', 'stopped', 'aborted']),
  landed: z.number(),
  landedBefore: number,
  notLanded: z.array(z.looseObject({ idea: z.string(), status: z.enum(IDEA_STATUSES), reason: text })),
  status: z.looseObject({
    runId: z.string(),
    statistics: z.looseObject({ iterations: z.looseObject({ total: z.number() }) }),
  }),
  run: z.looseObject({ spent: tally }).optional(),
  ideas: z
    .array(
      z.looseObject({
        ...{ idea: z.string(), runs: z.array(z.unknown()), commits: z.number(), retries: z.number(), spent: tally },
        ...{ asking: text, since: number, percent: number, agent: text, model: text },
        step: z.looseObject({ number: z.number(), of: z.number() }).optional(),
        ...{ stepsSkipped: texts.optional(), stepsFailed: texts.optional(), gate, mergedGate: gate },
        gateNow: z.looseObject({ command: z.string(), number: z.number(), of: z.number() }).optional(),
        activity: z.looseObject({ activity: z.string(), command: text }).optional(),
      }),
    )
    .optional(),
  landings: z
    .array(
      z.looseObject({
        ...{ idea: z.string(), commit: z.string(), added: z.number(), deleted: z.number(), commits: z.number() },
        ...{ first: z.string(), before: text, to: z.string() },
      }),
    )
    .optional(),
}) as unknown as z.ZodType<SummaryFile>;

const FIX = 'ralphctl continues without it. What the run did: ralphctl logs';

/** Undefined for a run without a summary, and for a summary that ralphctl cannot use. */
export async function readSummary(
  root: string,
  { project, runId }: RunRef,
  damaged: (problem: string) => void,
): Promise<SummaryFile | undefined> {
  const path = join(runDir(root, project, runId), 'summary.json');
  try {
    return await readStored(path, { schema: SUMMARY, fix: FIX });
  } catch (error) {
    damaged(error instanceof StoredFileError ? error.message : `${path} cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}
