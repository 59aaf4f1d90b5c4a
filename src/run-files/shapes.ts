/**
 * The shapes of the files of a run and of a project, as they are checked when they are read back.
 * Invariant: a field that an older version did not write is optional here; unknown fields are allowed.
 */
import { z } from 'zod';
import type { Config } from '../config/schema.js';
import type { StoredKind } from '../config/stored.js';
import type { Idea } from '../protocol/idea.js';
import type { Amendment } from './amendments.js';
import type { Carried } from './carried.js';
import type { IdeaEdit } from './edits.js';
import type { Revision } from './revisions.js';
import type { RunFile } from './run.js';

const texts = z.array(z.string());
const count = z.number().optional();

/** Only what every run has: configurations of older versions lack newer keys, and defaults must not change an open run. */
const config = z.looseObject({
  slots: z.number(),
  agent: z.string(),
  agents: z.record(z.string(), z.unknown()),
  gate: z.looseObject({ commands: z.array(z.unknown()) }),
  maxIterations: z.number(),
  landing: z.looseObject({}),
}) as unknown as z.ZodType<Config>;

const version = z.literal(1).optional();

const idea = z.looseObject({
  id: z.string().min(1),
  title: z.string(),
  text: z.string(),
  blue: z.boolean(),
  dependsOn: texts,
  tags: texts,
  done: z.boolean(),
  ralph: z.boolean(),
  success: texts,
  allowEmpty: z.boolean(),
  maxIterations: count,
  timeoutMinutes: count,
  iterationTimeoutMinutes: count,
  plan: z.array(z.looseObject({ name: z.string(), steps: z.array(z.looseObject({ id: z.string() })) })).optional(),
}) as unknown as z.ZodType<Idea>;

const fields = { title: z.string().optional(), text: z.string().optional(), success: texts.optional() };

const RUN_FIX = 'End the run with: ralphctl abort; then start again';

export const RUN_FILE: StoredKind<RunFile> = {
  schema: z.looseObject({
    version: z.literal(1),
    project: z.string(),
    runId: z.string(),
    repo: z.string(),
    target: z.string(),
    config,
    backlog: z.looseObject({ file: z.string(), format: z.enum(['roadmap', 'ideas']), sha256: z.string() }),
    tick: z.boolean(),
    again: texts.optional(),
    createdAt: z.string(),
  }) as unknown as z.ZodType<RunFile>,
  fix: RUN_FIX,
};

export const RUN_IDEAS: StoredKind<Idea[]> = { schema: z.array(idea), fix: RUN_FIX };
export const ADDED_IDEA: StoredKind<Idea> = {
  schema: idea,
  fix: 'Remove the file, then add the idea again with: ralphctl enqueue',
};

export const REVISION: StoredKind<Revision> = {
  schema: z.looseObject({ version, config, tick: z.boolean() }) as unknown as z.ZodType<Revision>,
  fix: RUN_FIX,
};

export const EDIT: StoredKind<IdeaEdit> = {
  schema: z.looseObject({ version, ...fields, promise: z.string().optional() }) as unknown as z.ZodType<IdeaEdit>,
  fix: 'Remove the file, then edit the idea again with: ralphctl edit',
};

export const AMENDMENT: StoredKind<Amendment> = {
  schema: z.looseObject({
    version: z.literal(1),
    idea: z.string(),
    of: z.string(),
    at: z.string(),
    fields: z.looseObject(fields).optional(),
    parts: z.array(idea).optional(),
  }) as unknown as z.ZodType<Amendment>,
  fix: 'Remove the file, then edit or split the idea again',
};

export const CARRIED: StoredKind<Carried> = {
  schema: z.looseObject({
    version: z.literal(1),
    idea: z.string(),
    abandoned: z.looseObject({ at: z.string(), reason: z.string().optional() }).optional(),
    hints: texts.optional(),
    takenBy: z.string().optional(),
    kept: z
      .array(
        z.looseObject({ verb: z.string(), at: z.string(), n: z.number().optional(), reason: z.string().optional() }),
      )
      .optional(),
    retries: z.number().optional(),
  }) as unknown as z.ZodType<Carried>,
  fix: 'Remove the file, then abandon the idea or give the command again',
};
