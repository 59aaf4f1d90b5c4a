/**
 * The JSON body of an alert; schemas/alert.schema.json is made from it.
 * Invariant: fields are only ever added, never changed in meaning. Imports zod, protocol and this folder only.
 */
import { z } from 'zod';
import { ALERT_KINDS } from '../../protocol/alerts.js';
import { inputSchema, type JsonSchema } from '../zod-problems.js';

const time = z.iso.datetime();

export const alertPayload = z
  .strictObject({
    version: z.literal(1).describe('Version of this format.'),
    id: z
      .string()
      .describe('Of this alert: every delivery of it has the same id, so that a receiver can drop a repeated one.'),
    project: z.string().describe('Name of the project in ralphctl.'),
    title: z.string().describe('The alert in one line.'),
    urgent: z.boolean().describe('Whether the run waits for a person.'),
    command: z.string().describe('The command that answers the first event.'),
    link: z.url().optional().describe('Page of the first event in the Web UI of Temporal.'),
    counts: z
      .partialRecord(z.enum(ALERT_KINDS), z.int().min(1))
      .describe('How many events of each kind. There may be more than `events` lists.'),
    events: z
      .array(
        z.strictObject({
          id: z.string().describe('Of this event: run, idea (or "run"), kind and a number.'),
          kind: z.enum(ALERT_KINDS).describe('Kind of the event.'),
          run: z.string().describe('Id of the run.'),
          idea: z.string().optional().describe('Id of the idea. Absent: the event is about the run.'),
          title: z.string().optional().describe('Title of the idea.'),
          text: z.string().optional().describe('The whole question of an agent with its line breaks, or the reason.'),
          command: z.string().describe('The command that answers it.'),
          at: time.describe('Time of the event, ISO 8601.'),
        }),
      )
      .describe('The events, those that wait for a person first.'),
    test: z.literal(true).optional().describe('A test alert of `ralphctl notify test`.'),
  })
  .describe('An alert of ralphctl, as a webhook or command gets it.');

/** The body that a receiver gets. */
export const alertJsonSchema = (): JsonSchema => ({ ...inputSchema(alertPayload), title: 'ralphctl alert' });

export type AlertPayload = z.output<typeof alertPayload>;
