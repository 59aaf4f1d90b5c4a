/** Reports a file that is not JSON, with the message that {@link readLocated} uses. */
import type { Problem } from '../../config/problems.js';
import { isMap, type Source } from './source.js';

/** @param comments whether the format allows comments and trailing commas */
export function notJson(source: Source, comments = false): Problem | undefined {
  const { file, text } = source;
  const { node, fault } = source.tree();
  if (!fault && node?.type === 'object' && isMap(source.json())) return undefined;
  if (!fault)
    return { file, line: 1, message: 'this file must be one JSON object', fix: 'write { … } around its fields' };
  const found =
    fault.offset >= text.trimEnd().length
      ? 'the file ends too early'
      : `unexpected ${JSON.stringify(text[fault.offset])}`;
  const fix = comments ? {} : { fix: 'JSON has no comments and no trailing commas' };
  return { file, line: source.lineAt(fault.offset), message: `not valid JSON: ${found}`, ...fix };
}
