/** Edits a text by keys. Invariant: pure; the cursor never stands inside a character. */
import { MAX_COMMAND_TEXT } from '../../protocol/command.js';
import { plainText } from '../../protocol/escapes.js';
import type { Draft } from '../ui.js';

export interface Typed {
  name: string;
  text?: string;
}

export const draftOf = (text: string): Draft => ({ text, cursor: text.length });

/** A prompt has one line. */
export const inOneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

/** The run takes no hint and no answer of this length. */
export const isTooLong = (text: string): boolean => text.length > MAX_COMMAND_TEXT;
export const TOO_LONG = `the text is longer than ${MAX_COMMAND_TEXT} characters; put it into a file of the repository and name it`;

/** The text after a key; undefined for keys that do not edit. `lines`: allows line breaks. */
export function typed({ text, cursor }: Draft, key: Typed, lines: boolean): Draft | undefined {
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  const insert = (typed: string): Draft => {
    const added = plainText(typed);
    return { text: before + added + after, cursor: cursor + added.length };
  };
  switch (key.name) {
    case 'paste':
      return insert(lines ? (key.text ?? '') : (key.text ?? '').replace(/\s*\n\s*/g, ' '));
    case 'newline':
    case 'alt-enter':
      return lines ? insert('\n') : undefined;
    case 'backspace': {
      const left = before.slice(0, -lastSize(before));
      return { text: left + after, cursor: left.length };
    }
    case 'delete':
      return { text: before + after.slice(firstSize(after)), cursor };
    case 'left':
      return { text, cursor: cursor - lastSize(before) };
    case 'right':
      return { text, cursor: cursor + firstSize(after) };
    case 'up':
    case 'down':
      return lines ? { text, cursor: otherLine(text, cursor, key.name === 'up' ? -1 : 1) } : undefined;
    case 'home':
    case 'ctrl-a':
      return { text, cursor: before.lastIndexOf('\n') + 1 };
    case 'end': {
      const end = after.indexOf('\n');
      return { text, cursor: end < 0 ? text.length : cursor + end };
    }
    case 'ctrl-u':
      return { text: after, cursor: 0 };
    case 'ctrl-k':
      return { text: before, cursor };
    case 'ctrl-w': {
      const left = before.replace(/\S*\s*$/, '');
      return { text: left + after, cursor: left.length };
    }
    default:
      return key.text === undefined ? undefined : insert(key.text);
  }
}

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const firstSize = (text: string): number => segments.segment(text)[Symbol.iterator]().next().value?.segment.length ?? 0;

function lastSize(text: string): number {
  // A character never spans a line break, so the last line is enough.
  const line = text.slice(text.lastIndexOf('\n') + 1);
  if (line === '') return text === '' ? 0 : 1;
  let last = 0;
  for (const { segment } of segments.segment(line)) last = segment.length;
  return last;
}

/** The same column, one line up or down. */
function otherLine(text: string, cursor: number, by: 1 | -1): number {
  const lines = text.split('\n');
  const row = text.slice(0, cursor).split('\n').length - 1;
  const column = cursor - (text.lastIndexOf('\n', cursor - 1) + 1);
  const target = row + by;
  const line = lines[target];
  if (line === undefined) return by < 0 ? 0 : text.length;
  const start = lines.slice(0, target).reduce((sum, one) => sum + one.length + 1, 0);
  return start + boundary(line, column);
}

/** The last end of a character at or before a column. */
function boundary(line: string, column: number): number {
  let end = 0;
  for (const { segment } of segments.segment(line)) {
    if (end + segment.length > column) break;
    end += segment.length;
  }
  return end;
}
