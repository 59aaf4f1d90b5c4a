/**
 * Sets one field of a YAML map in its text. Invariant: the rest of the text stays as it is. A new field copies the
 * layout of the field before it.
 */
import { isScalar, type Pair, type YAMLMap } from 'yaml';
import type { Edit } from './formats/format.js';

export const pairOf = (map: YAMLMap, key: string): Pair | undefined =>
  map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);

/**
 * The edit that sets `key` in place or inserts it after the field `after`; undefined when the layout allows no safe
 * edit.
 */
export function setIn(text: string, map: YAMLMap, key: string, value: boolean, after: string): Edit | undefined {
  const old = pairOf(map, key)?.value;
  if (isScalar(old) && old.range)
    return { offset: old.range[0], length: old.range[1] - old.range[0], text: String(value) };
  const pair = pairOf(map, after);
  const { key: name, value: beside } = pair ?? {};
  if (!isScalar(name) || !isScalar(beside) || !name.range || !beside.range) return undefined;
  const [nameStart] = name.range;
  const end = beside.range[1];
  const lineStart = Math.max(text.lastIndexOf('\n', nameStart - 1), text.lastIndexOf('\r', nameStart - 1)) + 1;
  const before = text.slice(lineStart, nameStart);
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const written = text.charAt(nameStart) === '"' ? JSON.stringify(key) : key;
  if (map.flow) {
    const colon = /^\s*:\s/.test(text.slice(name.range[1])) ? ': ' : ':';
    const gap = /^[ \t]+$/.test(before) ? eol + before : colon === ': ' ? ' ' : '';
    return { offset: end, length: 0, text: `,${gap}${written}${colon}${value}` };
  }
  const rest = /[^\r\n]*/y;
  rest.lastIndex = end;
  const lineEnd = end + (rest.exec(text)?.[0].length ?? 0);
  return { offset: lineEnd, length: 0, text: `${eol}${' '.repeat(before.length)}${written}: ${value}` };
}
