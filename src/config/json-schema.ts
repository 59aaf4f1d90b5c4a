/**
 * JSON Schema of a zod schema's input side, for editors and for naming known keys in error messages.
 */
import { z } from 'zod';
import { configSchema } from './schema.js';
import type { JsonSchema } from './zod-problems.js';

/** JSON Schema (2020-12) of what a person may write. */
export const inputSchema = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });

let cached: JsonSchema | undefined;
export function configJsonSchema(): JsonSchema {
  cached ??= { ...inputSchema(configSchema), title: 'ralphctl configuration' };
  return cached;
}
