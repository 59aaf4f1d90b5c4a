/**
 * Defines one line of a bug-report file; schemas/triage-report.schema.json comes from it.
 * Invariant: new versions add fields and never change the meaning of one. ralphctl ignores unknown fields, so that an
 * export of a tracker can keep them.
 */
import { z } from 'zod';
import { inputSchema, isoTime, type JsonSchema } from '../../config/zod-problems.js';

const MOST_BODY = 4_000_000;
const time = isoTime();

export const reportLine = z
  .looseObject({
    id: z
      .union([z.string().regex(/^\S{1,200}$/, 'must be 1 to 200 characters without blanks'), z.int().min(0)])
      .describe('Id of the report in its tracker; unique in the file.'),
    title: z.string().max(10_000).describe('Title, one line.'),
    body: z.string().max(MOST_BODY).nullish().describe('Text of the report; Markdown or plain.'),
    author: z.string().max(1000).nullish().describe('Who wrote it.'),
    labels: z.array(z.string().max(1000)).max(100).nullish().describe('Labels, such as "critical" or "low".'),
    created: time.nullish().describe('Time of creation, ISO 8601. Of equal duplicates the older one stays.'),
    url: z.string().max(4000).nullish().describe('Address of the report.'),
    state: z.enum(['open', 'closed']).nullish().describe('Default: open. Closed reports are only compared with.'),
    closed: time.nullish().describe('Time at which it was closed, ISO 8601. After 14 days nothing repeats it.'),
  })
  .describe('A bug report, one line of a JSONL file for `ralphctl triage`.');

export const triageReportJsonSchema = (): JsonSchema => ({ ...inputSchema(reportLine), title: 'ralphctl bug report' });
