/**
 * The JSON lines between ralphctl and the program of `tracker: command`; schemas/tracker-*.schema.json come from here.
 * Invariant: new versions add fields and never change the meaning of one. Imports zod and config's helpers only.
 */
import { z } from 'zod';
import type { Path } from '../config/located.js';
import { inputSchema, isoTime, type JsonSchema, zodProblems } from '../config/zod-problems.js';

const MOST_TEXT = 4_000_000;
const ref = z
  .string()
  .regex(/^\S{1,200}$/, 'must be 1 to 200 characters without blanks')
  .describe('Id of the item in the tracker. It never changes.');

const holder = z
  .strictObject({
    owner: z.string().describe('The same for all runs of this project on this machine, different elsewhere.'),
    run: z.string().describe('Id of the run.'),
    idea: z.string().describe('Id of the idea.'),
    life: z.int().describe('Which start of the idea it is. Ignore a message with a lower number than the last one.'),
  })
  .describe('Who holds the item. Keep it with the claim.');

const version = z.literal(1).describe('Version of this protocol.');
const text = z.string().describe('Markdown for people.');

export const trackerRequest = z
  .discriminatedUnion('op', [
    z.strictObject({ version, op: z.literal('check').describe('Checks login and place. Changes nothing.') }),
    z.strictObject({
      version,
      op: z.literal('list').describe('Prints every open item, a line each, then `{"ok":true}`.'),
      filter: z
        .strictObject({
          labels: z.array(z.string()).describe('Items that have all of them.'),
          author: z.string().optional().describe('Items of this author.'),
          milestone: z.string().optional().describe('Items of this milestone.'),
          query: z.string().optional().describe('Items that this search finds, in the words of the tracker.'),
          most: z.int().describe('More items are ignored.'),
        })
        .describe('From ralphctl.yaml. ralphctl applies labels, author and milestone again.'),
    }),
    z.strictObject({
      version,
      op: z
        .literal('closed')
        .describe(
          'Optional. Prints items that were closed since then, the newest first, then `{"ok":true}`. Triage compares open items with them.',
        ),
      since: z.string().describe('ISO 8601.'),
      most: z.int().describe('More items are ignored.'),
    }),
    z.strictObject({
      version,
      op: z
        .literal('claim')
        .describe('Takes the item for the holder, if nobody else has it. The same holder may repeat.'),
      ...{ ref, holder, text },
    }),
    z.strictObject({
      version,
      op: z.literal('progress').describe('Shows the text in the one comment of this holder.'),
      ...{ ref, holder, text },
    }),
    z.strictObject({
      version,
      op: z.literal('done').describe('Shows the text, ends the claim and, with close, closes the item.'),
      ...{ ref, holder, text, close: z.boolean().describe('Whether it also closes the item.') },
    }),
    z.strictObject({
      version,
      op: z.literal('release').describe('Gives the item back and shows why. Opens an item that `done` has closed.'),
      ...{ ref, holder, text },
    }),
  ])
  .describe('One line on the standard input of a tracker program.');

export type TrackerRequest = z.input<typeof trackerRequest>;

const item = z.looseObject({
  ref,
  title: z.string().max(10_000).describe('One line.'),
  body: z.string().max(MOST_TEXT).nullish().describe('Text of the item; Markdown or plain.'),
  labels: z.array(z.string().max(1000)).max(100).nullish().describe('Labels. Some are a priority.'),
  author: z.string().max(1000).nullish().describe('Who wrote it.'),
  milestone: z.string().max(1000).nullish().describe('Title of its milestone.'),
  member: z.boolean().nullish().describe('Whether the author may write to the project. Default: false.'),
  url: z.string().max(4000).nullish().describe('Address of the item.'),
  created: isoTime().nullish().describe('ISO 8601.'),
  closed: isoTime().nullish().describe('When it was closed, ISO 8601.'),
  assigned: z.array(z.string()).max(100).nullish().describe('Who works on it.'),
  after: z.array(ref).max(1000).nullish().describe('Refs of items that come first.'),
  priority: z.int().min(-2).max(2).nullish().describe('Steps above normal.'),
});

export const trackerAnswer = z
  .union([
    z.looseObject({ item: item.describe('Answer to `list`, a line for each item.') }),
    z.looseObject({
      ok: z.literal(true).describe('It worked. Last line.'),
      login: z.string().optional().describe('Answer to `check`: who ralphctl is there.'),
    }),
    z.looseObject({ taken: z.string().min(1).describe('Answer to `claim`: who has it.') }),
    z.looseObject({
      error: z.string().min(1).describe('What happened, with the fix.'),
      retry: z.boolean().optional().describe('The same request can work later.'),
      retryAt: isoTime().optional().describe('When, ISO 8601.'),
    }),
  ])
  .describe('One line on the standard output of a tracker program.');

/** What is wrong with a line that is no answer: by the form that its keys name. */
export function wrongInAnswer(value: unknown): string {
  const keys = value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value) : [];
  const form = trackerAnswer.options.find(({ shape }) => keys.includes(Object.keys(shape)[0] ?? ''));
  const issues = form?.safeParse(value).error?.issues;
  if (!issues) return 'a line is a JSON object with "item", "ok", "taken" or "error"';
  const located = { value, lineOf: () => 1, sourceOf: (path: Path) => scalarAt(value, path) };
  const whole = { file: '', located, schema: () => inputSchema(trackerAnswer), whole: 'the line' };
  return zodProblems(issues, whole)
    .slice(0, MOST_PROBLEMS)
    .map(({ message, fix }) => (fix === undefined ? message : `${message} (${fix})`))
    .join(', ');
}
const MOST_PROBLEMS = 3;

function scalarAt(value: unknown, path: Path): string | undefined {
  const found = path.reduce<unknown>(
    (inner, step) => (inner as Record<PropertyKey, unknown> | undefined)?.[step],
    value,
  );
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : undefined;
}

export type WireItem = z.output<typeof item>;
/** A line of an answer, with the fields of its form. */
export type TrackerLine =
  | { item: WireItem }
  | { ok: true; login?: string | undefined }
  | { taken: string }
  | { error: string; retry?: boolean | undefined; retryAt?: string | undefined };

/** Maps each file name under schemas/ to its content. */
export const trackerSchemas = (): Record<string, JsonSchema> => ({
  'tracker-request.schema.json': {
    ...inputSchema(trackerRequest),
    title: 'Request of ralphctl to a tracker program',
  },
  'tracker-answer.schema.json': { ...inputSchema(trackerAnswer), title: 'Answer of a tracker program to ralphctl' },
});
