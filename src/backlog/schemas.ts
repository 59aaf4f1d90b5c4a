/**
 * The published JSON Schemas, made from the zod schemas. The files under schemas/ are these, and a test compares them.
 */
import { alertJsonSchema } from '../config/schema/alert.js';
import { eventsJsonSchema } from '../config/schema/events.js';
import { configJsonSchema, type JsonSchema } from '../config/zod-problems.js';
import { ideasJsonSchema } from './ideas.js';
import { triageReportJsonSchema } from './reports/schema.js';

/** File name under schemas/ to content. */
export const exportSchemas = (): Record<string, JsonSchema> => ({
  'ralphctl.schema.json': configJsonSchema(),
  'ideas.schema.json': ideasJsonSchema(),
  'alert.schema.json': alertJsonSchema(),
  'events.schema.json': eventsJsonSchema(),
  'triage-report.schema.json': triageReportJsonSchema(),
});
