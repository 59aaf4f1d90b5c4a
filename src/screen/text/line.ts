/**
 * A line of the screen: texts, each with its style. The painter turns it into escapes.
 * Invariant: after `within`, a line is never wider than the columns.
 */
import { cut, width } from './text.js';

export type Colour = 'blue' | 'green' | 'cyan' | 'yellow' | 'red' | 'gray';

export interface Span {
  text: string;
  colour?: Colour;
  bold?: true;
  dim?: true;
  inverse?: true;
}
export type Line = Span[];

export type Part = string | Span | Line;

export const line = (...parts: Part[]): Line =>
  parts.flatMap((part) => (typeof part === 'string' ? { text: part } : part)).filter(({ text }) => text !== '');

export const bold = (text: string): Span => ({ text, bold: true });
export const dim = (text: string): Span => ({ text, dim: true });
export const coloured = (text: string, colour: Colour | undefined): Span => (colour ? { text, colour } : { text });

/** The text without styles. */
export const plainLine = (spans: Line): string => spans.map(({ text }) => text).join('');

export const lineWidth = (spans: Line): number => spans.reduce((sum, { text }) => sum + width(text), 0);

/** Cuts to at most `columns`; `…` replaces the rest. */
export function within(spans: Line, columns: number): Line {
  if (lineWidth(spans) <= columns) return spans;
  const out: Line = [];
  let room = columns;
  for (const span of spans) {
    const size = width(span.text);
    if (size < room) {
      out.push(span);
      room -= size;
      continue;
    }
    // The `…` needs a cell, even where a text ends exactly at the edge.
    const text = size === room ? cut(`${span.text}..`, room) : cut(span.text, room);
    out.push({ ...span, text });
    return out;
  }
  return out;
}

/** Cuts or pads to exactly `columns`. */
export function fill(spans: Line, columns: number): Line {
  const fits = within(spans, columns);
  const rest = columns - lineWidth(fits);
  return rest > 0 ? [...fits, { text: ' '.repeat(rest) }] : fits;
}

/** Two parts at the two edges. Cuts the left one where both do not fit. */
export function edges(left: Line, right: Line, columns: number, gap = 2): Line {
  const size = lineWidth(right);
  if (size === 0) return within(left, columns);
  if (size > columns - 8) return within([...left, { text: ' '.repeat(gap) }, ...right], columns);
  return [...fill(left, columns - size - gap), { text: ' '.repeat(gap) }, ...right];
}

/** The whole line inverse, up to its end. */
export const inverse = (spans: Line, columns: number): Line =>
  fill(spans, columns).map((span) => ({ ...span, inverse: true }));

/** `─ left ─────── right ─`: the head of a section. */
export function rule(left: string, right: string, columns: number, warns = false): Line {
  const end = right === '' ? '' : ` ${right} ─`;
  const start = left === '' ? '' : `─ ${left} `;
  const rest = columns - width(start) - width(end);
  if (rest < 1) return within([dim('─ '), bold(left), dim(' ─')], columns);
  return line(
    ...(left === '' ? [] : [dim('─ '), bold(left), ' ']),
    dim('─'.repeat(rest)),
    ...(right === '' ? [] : warns ? [coloured(` ${right}`, 'yellow'), dim(' ─')] : [dim(end)]),
  );
}

/** Items in at most `most` lines; the last one ends with ` …` where more follow. */
export function listedRows(items: readonly string[], between: string, cells: number, most: number): Line[] {
  const rows: Line[] = [];
  let rest = [...items];
  while (rest.length > 0 && rows.length < most - 1) {
    let count = 1;
    while (count < rest.length && width(rest.slice(0, count + 1).join(between)) <= cells) count += 1;
    rows.push(line(cut(rest.slice(0, count).join(between), cells)));
    rest = rest.slice(count);
  }
  return rest.length === 0 ? rows : [...rows, listed(rest, between, cells)];
}

/** As many whole items as fit, then ` …`. */
export function listed(items: readonly string[], between: string, cells: number): Line {
  let text = '';
  for (const [index, item] of items.entries()) {
    const next = index === 0 ? item : `${text}${between}${item}`;
    const last = index === items.length - 1;
    if (width(next) + (last ? 0 : 2) > cells) return line(index === 0 ? cut(item, cells) : `${text} …`);
    text = next;
  }
  return line(text);
}
