/**
 * The editor of an answer: its text as lines, and the position of its cursor. Invariant: the cursor is always visible.
 */
import { type Line, line } from '../text/line.js';
import { head, width } from '../text/text.js';
import type { Draft } from '../ui.js';

interface Piece {
  text: string;
  /** Offset of its first character in the whole text. */
  start: number;
}

/** Breaks after spaces; every character keeps its offset. */
function pieces(text: string, cells: number): Piece[] {
  const out: Piece[] = [];
  let start = 0;
  for (const row of text.split('\n')) {
    let rest = row;
    let at = start;
    // Measures each piece only: an answer may be long, and every paint comes here.
    for (let fits = head(rest, cells); fits.length < rest.length; fits = head(rest, cells)) {
      if (fits === '') fits = rest.slice(0, 1);
      const space = fits.lastIndexOf(' ');
      const size = space > 0 ? space + 1 : fits.length;
      out.push({ text: rest.slice(0, size), start: at });
      rest = rest.slice(size);
      at += size;
    }
    out.push({ text: rest, start: at });
    start += row.length + 1;
  }
  return out;
}

export interface Editor {
  lines: Line[];
  /** 0-based, in these lines. */
  cursor: { line: number; column: number };
}

export function editor({ text, cursor }: Draft, columns: number, height: number): Editor {
  // Replaces characters one for one, so that offsets stay valid.
  const plain = text.replace(/\r/g, '\n').replace(/[^\P{Cc}\n]/gu, ' ');
  const cells = Math.max(2, columns - 2);
  const all = pieces(plain, cells);
  const place = Math.max(0, Math.min(cursor, plain.length));
  let at = all.findLastIndex(({ start }) => start <= place);
  if (at < 0) at = 0;
  const piece = all[at];
  const column = piece ? Math.min(cells, width(plain.slice(piece.start, place))) : 0;
  const first = Math.max(0, at - Math.max(1, height) + 1);
  return {
    lines: all.slice(first, first + Math.max(1, height)).map((one) => line(` ${one.text}`)),
    cursor: { line: at - first, column: 1 + column },
  };
}
