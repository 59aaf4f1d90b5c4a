/** Generates the published JSON Schemas from the zod schemas. A test compares them with the files under schemas/. */
import { alertJsonSchema } from '../config/schema/alert.js';
import { eventsJsonSchema } from '../config/schema/events.js';
import { ledgerJsonSchema } from '../config/schema/ledger.js';
import { configJsonSchema, type JsonSchema } from '../config/zod-problems.js';
import { ideasJsonSchema } from './ideas.js';
import { triageReportJsonSchema } from './reports/schema.js';

/** Maps each file name under schemas/ to its content. */
export const exportSchemas = (): Record<string, JsonSchema> => ({
  'ralphctl.schema.json': configJsonSchema(),
  'ideas.schema.json': ideasJsonSchema(),
  'alert.schema.json': alertJsonSchema(),
  'events.schema.json': eventsJsonSchema(),
  'ledger.schema.json': ledgerJsonSchema(),
  'triage-report.schema.json': triageReportJsonSchema(),
});
