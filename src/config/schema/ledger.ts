/**
 * The schema of the evidence ledger (E5): it is published, and every line that is read must fit it.
 * Invariant: unknown fields stay allowed, because a newer version may write more.
 */
import { z } from 'zod';
import { IDEA_ID } from '../../protocol/idea.js';
import { type Actor, EVIDENCE, type LedgerRow, OPERATIONS } from '../../protocol/ledger.js';
import { inputSchema, type JsonSchema } from '../zod-problems.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const id = z.string().regex(/^[0-9a-f]{20}$/);

const actor = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('ralphctl').describe('ralphctl itself.') }),
  z.looseObject({ kind: z.literal('person').describe('A person.') }),
  z.looseObject({
    kind: z.literal('agent').describe('A coding agent.'),
    name: z.string().describe('Agent from the configuration.'),
    model: z.string().optional().describe('Model that the agent named.'),
  }),
]) as unknown as z.ZodType<Actor>;

const ROW = z.looseObject({
  v: z.literal(1).describe('Version of the format.'),
  n: z.int().min(1).max(1e12).describe('Line number from 1.'),
  id: id.describe('From the key of the operation: workflow run, idea and step. An id occurs once.'),
  at: z.iso.datetime().describe('When the operation ended: ISO 8601, UTC.'),
  op: z.enum(OPERATIONS).describe('commit: planned, claim: taken by a slot, evidence, submit: landed or failed.'),
  kind: z.enum(EVIDENCE).optional().describe('Of evidence only.'),
  idea: z.string().regex(IDEA_ID).describe('Id of the idea.'),
  run: z.string().optional().describe('Run that it belongs to. Missing for commit.'),
  actor: actor.describe('Who did it.'),
  refs: z.array(id).describe('Ids of earlier operations that it builds on.'),
  pass: z.boolean().optional().describe('false: red, refused or failed. Missing where nothing was judged.'),
  durationMs: z.number().min(0).max(1e15).optional().describe('Duration in milliseconds.'),
  data: z.record(z.string(), z.unknown()).describe('What it was, in small values.'),
  hashes: z.record(z.string(), hash).optional().describe('SHA-256 of the files that it is about, by name.'),
  prev: hash.describe('SHA-256 of the line before, without its line end; 64 zeros in the first line.'),
});

export const isLedgerRow = (value: unknown): value is LedgerRow => ROW.safeParse(value).success;

export const ledgerJsonSchema = (): JsonSchema => inputSchema(ROW.meta({ title: 'One line of the evidence ledger' }));
