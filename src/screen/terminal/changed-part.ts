/**
 * The part of a rendered line that differs from the line that the terminal shows, so that a frame with columns does
 * not write all of them.
 * Invariant: where it is not certain that each character takes one column in every terminal, there is no part.
 */

const ESCAPE = '\u001b';
const RESET = `${ESCAPE}[0m`;
const ERASE_LINE = `${ESCAPE}[K`;
/** A style that is switched on or off, or one character. */
const PIECE = new RegExp(`${ESCAPE}\\[([\\d;]*)m|[^${ESCAPE}]`, 'gu');
/** Latin, and the punctuation, arrows, lines and signs that the screen draws with. No emoji, nothing that combines. */
const ONE_COLUMN =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2015\u2018-\u2027\u2190-\u2193\u2298\u2500-\u25a9\u25b8\u25be\u25c6-\u25f0\u2713\u2717]$/u;

interface Cell {
  text: string;
  /** Codes of a `CSI m` sequence; empty for none. */
  style: string;
}

export interface ChangedPart {
  /** 0-based. */
  column: number;
  text: string;
}

/** Undefined where the whole line has to be written. */
export function changedPart(last: string, next: string): ChangedPart | undefined {
  const before = cellsOf(last);
  const after = before && cellsOf(next);
  if (!before || !after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let column = 0;
  while (column < shorter && isSame(before[column], after[column])) column += 1;
  let kept = 0;
  if (before.length === after.length)
    while (kept < after.length - column && isSame(before.at(-1 - kept), after.at(-1 - kept))) kept += 1;
  const text = written(after.slice(column, after.length - kept));
  return { column, text: `${text}${after.length < before.length ? ERASE_LINE : ''}` };
}

function cellsOf(line: string): Cell[] | undefined {
  const cells: Cell[] = [];
  let style = '';
  let read = 0;
  for (const { 0: text, 1: codes, index } of line.matchAll(PIECE)) {
    if (index !== read) return undefined;
    read += text.length;
    if (codes !== undefined) style = codes === '0' || codes === '' ? '' : style === '' ? codes : `${style};${codes}`;
    else if (ONE_COLUMN.test(text)) cells.push({ text, style });
    else return undefined;
  }
  return read === line.length ? cells : undefined;
}

const isSame = (one: Cell | undefined, other: Cell | undefined): boolean =>
  one?.text === other?.text && one?.style === other?.style;

/** From a terminal without a style to one without a style. */
function written(cells: readonly Cell[]): string {
  let out = '';
  let current = '';
  for (const { text, style } of cells) {
    if (style !== current) out += `${current === '' ? '' : RESET}${style === '' ? '' : `${ESCAPE}[${style}m`}`;
    current = style;
    out += text;
  }
  return current === '' ? out : out + RESET;
}
