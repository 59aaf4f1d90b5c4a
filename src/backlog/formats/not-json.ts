/** Reports a file that is not JSON. Comments and trailing commas are no fault: these backlogs are read with both. */
import type { Problem } from '../../config/problems.js';
import { isMap, type Source } from './source.js';

/** By the parser's name of the fault. */
const FIXES: Readonly<Record<string, string>> = {
  CommaExpected: 'write a comma before it',
  ColonExpected: 'write a colon before it',
  InvalidSymbol: 'write texts in double quotes; the only words without are true, false and null',
  PropertyNameExpected: 'write names in double quotes',
  UnexpectedEndOfString: 'end the text on its line; a line end in it is \\n',
  EndOfFileExpected: 'remove what follows the end of the first object',
};

export function notJson(source: Source): Problem | undefined {
  const { file, text } = source;
  const { node, fault } = source.tree();
  if (!fault && node?.type === 'object' && isMap(source.json())) return undefined;
  if (!fault)
    return { file, line: 1, message: 'this file must be one JSON object', fix: 'write { … } around its fields' };
  const ends = fault.offset >= text.trimEnd().length;
  const found = ends ? 'the file ends too early' : `unexpected ${JSON.stringify(text[fault.offset])}`;
  const fix = ends ? 'write what is missing at its end, such as ] and }' : FIXES[fault.what];
  return {
    ...{ file, line: source.lineAt(fault.offset), message: `not valid JSON: ${found}` },
    ...(fix === undefined ? {} : { fix }),
  };
}
