/**
 * Measures and cuts text in terminal cells. Uses its own table: a repaint measures thousands of texts, and the
 * libraries for this test each character against an expression of all emoji.
 * Invariant: results of `cut`, `pad` and `wrap` are never wider than requested, and contain nothing that controls a
 * terminal.
 */
import { UNBROKEN, unbroken, wordsOf } from '../../protocol/cut.js';
import { withoutEscapes } from '../../protocol/escapes.js';
import { withLocalTimes } from './time.js';

/** Characters of one cell each; a text of these is as wide as it is long. */
const PLAIN = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u21ff\u2500-\u25fc✓✗⊗⊘⊟⊞⇄]*$/u;
/** Combining marks, the later parts of Hangul syllables, and invisible characters. */
const NONE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cs}\p{Cc}\p{Emoji_Modifier}\u1160-\u11ff\ud7b0-\ud7ff]$/u;
/** Two cells: East Asian wide and full-width characters, and emoji. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;
/** Half of a flag; terminals show the pair in two cells. */
const FLAG = /^[\u{1f1e6}-\u{1f1ff}]$/u;

/** Control characters and line ends of every kind. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029]+/gu;
/**
 * Invisible characters: direction marks, joiners, halves of surrogate pairs, and the selector of an emoji form, whose
 * width differs between terminals. Joined emoji separate into emoji that every terminal knows. Colours of skin go for the
 * same reason: they have two cells of their own, or none.
 */
const UNSEEN = /\p{Cf}|\p{Cs}|\ufe0e|\ufe0f|\p{Emoji_Modifier}/gu;

/** Maximum length of a foreign text, above that of the longest question; the first step cuts longer ones. */
const MOST = 20_000;

/** Width of one character in the tables of terminals. */
function cellsOf(char: string): number {
  if (NONE.test(char)) return 0;
  return WIDE.test(char) && !FLAG.test(char) ? 2 : 1;
}

export function width(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let sum = 0;
  for (const char of text) sum += cellsOf(char);
  return sum;
}

export const isUnsafe = (text: string): boolean =>
  /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]|\p{Emoji_Modifier}|\ufe0e|\ufe0f/u.test(text);

/** One line in local time, without anything that controls a terminal. */
export const clean = (text: string): string =>
  withLocalTimes(withoutEscapes(text.slice(0, MOST)).replace(UNPRINTABLE, ' ').replace(UNSEEN, ''));

/** The lines of a foreign text, each cleaned. Tabs become two spaces. */
export const paragraphs = (text: string): string[] =>
  text
    .slice(0, MOST)
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => clean(line.replace(/\t/g, '  ')).trimEnd());

/** The longest prefix within `cells`; a combining mark stays with its character. */
export function head(text: string, cells: number): string {
  if (cells <= 0) return '';
  if (PLAIN.test(text)) return text.slice(0, cells);
  let used = 0;
  let end = 0;
  for (const char of text) {
    used += cellsOf(char);
    if (used > cells) break;
    end += char.length;
  }
  return text.slice(0, end);
}

/** The longest suffix within `cells`; it does not begin with a combining mark. */
export function tail(text: string, cells: number): string {
  if (cells <= 0) return '';
  if (PLAIN.test(text)) return text.slice(-cells);
  let left = cells;
  let begin = text.length;
  for (let at = text.length; at > 0; ) {
    at -= (text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1;
    const size = cellsOf(String.fromCodePoint(text.codePointAt(at) ?? 63));
    left -= size;
    if (left < 0) break;
    if (size > 0) begin = at;
  }
  return text.slice(begin);
}

/** Cuts to at most `cells`; `…` replaces the rest. */
export function cut(text: string, cells: number): string {
  if (cells <= 0) return '';
  if (text.length * 2 <= cells || width(text) <= cells) return text;
  return `${head(text, cells - 1).trimEnd()}…`;
}

/** Cuts or pads to exactly `cells`. */
export function pad(text: string, cells: number, side: 'left' | 'right' = 'left'): string {
  const fits = cut(text, cells);
  const rest = ' '.repeat(Math.max(0, cells - width(fits)));
  return side === 'left' ? `${fits}${rest}` : `${rest}${fits}`;
}

/** An id to exactly `cells`, cut in the middle: ids that begin alike differ in their ends. */
export function padId(id: string, cells: number): string {
  if (width(id) <= cells || cells < 3) return pad(id, cells);
  const end = tail(id, Math.floor((cells - 1) / 2));
  return pad(`${head(id, cells - 1 - width(end))}…${end}`, cells);
}

interface Wrapping {
  /** Commands run over the width: a terminal breaks them by itself, so that a copy is whole. */
  over?: boolean;
}

/** Breaks one line between words, and words that are too long. Later lines hang by `hang` cells. */
export function wrap(text: string, most: number, hang = 0, { over = false }: Wrapping = {}): string[] {
  const cells = Math.max(1, most);
  const indent = ' '.repeat(Math.max(0, Math.min(hang, cells - 1)));
  const lines: string[] = [];
  let line = /^ */.exec(text)?.[0] ?? '';
  if (line.length >= cells) line = '';
  let room = cells - line.length;
  let empty = true;
  const next = (): void => {
    lines.push(line.trimEnd());
    line = indent;
    room = cells - indent.length;
    empty = true;
  };
  const words = text.trim().split(/ +/);
  for (let at = 0; at < words.length; at += 1) {
    let word = words[at] ?? '';
    if (word === '') continue;
    let size = width(word);
    if (!empty && size + 1 > room) next();
    if (size > room && word.includes(UNBROKEN)) {
      if (!over) {
        words.splice(at, 1, '', ...wordsOf(word));
        continue;
      }
      line += word;
      next();
      continue;
    }
    while (size > room) {
      const part = head(word, room) || String.fromCodePoint(word.codePointAt(0) ?? 63);
      if (width(part) > room && room < cells && !empty) {
        next();
        continue;
      }
      line += width(part) > room ? '?' : part;
      word = word.slice(part.length);
      size -= width(part);
      next();
    }
    if (word === '') continue;
    line += empty ? word : ` ${word}`;
    room -= size + (empty ? 0 : 1);
    empty = false;
  }
  if (!empty || lines.length === 0) lines.push(line.trimEnd());
  return lines;
}

/**
 * Wraps each line of a foreign text. A command that fits a line stays whole, as people copy it. A longer one begins a
 * line and breaks between its words.
 */
export const wrapAll = (text: string, cells: number, hang = 0, wrapping: Wrapping = {}): string[] =>
  paragraphs(text).flatMap((line) =>
    width(line) <= cells
      ? wrap(line, cells, hang)
      : wrap(unbroken(line), cells, hang, wrapping).map((row) => row.replaceAll(UNBROKEN, ' ')),
  );

/** The first rows of a wrapped text; the last one ends with `…` where more follow. */
export const upTo = (most: number, rows: readonly string[], cells: number): string[] =>
  rows.length <= most || rows.join('') === ''
    ? rows.filter((row) => row !== '')
    : [...rows.slice(0, most - 1), cut(`${rows[most - 1]} ${rows[most]}`.padEnd(cells + 1, ' …'), cells)];

/** The first of a list in words. */
export const someOf = (most: number, words: readonly string[]): string =>
  `${words.slice(0, most).join(', ')}${words.length > most ? ', …' : ''}`;

/** A name with its text beside it, indented. */
export const labelled = (name: string, text: string, cells: number, hang: number): string[] =>
  wrapAll(text, cells - hang).map((row, index) => `${pad(index === 0 ? name : '', hang)}${row}`);
