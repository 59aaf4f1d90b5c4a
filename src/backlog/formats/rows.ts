/** Helpers that the JSON-lines formats share: every line as an object, or its problem. */
import { parseTree } from 'jsonc-parser';
import type { Problem } from '../../config/problems.js';
import { JsonObject } from './json-object.js';
import type { Source } from './source.js';

export function objectsOf(source: Source): { objects: JsonObject[]; problems: Problem[] } {
  const objects: JsonObject[] = [];
  const problems: Problem[] = [];
  const { file } = source;
  for (const { line, offset, text, value } of source.rows()) {
    const node = value && parseTree(text);
    if (node) objects.push(new JsonObject(source, node, offset));
    else
      problems.push({
        file,
        line,
        message: 'this line is not a JSON object',
        fix: 'remove it, or write one object per line',
      });
  }
  return { objects, problems };
}
