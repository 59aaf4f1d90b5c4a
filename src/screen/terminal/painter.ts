/**
 * Writes frames to a terminal: the changed part of changed lines, each with one cursor move.
 * Invariant: a frame equal to the last one writes nothing, and no frame scrolls the terminal.
 * Must not import the model or the screens.
 */
import { changedPart } from './changed-part.js';

export interface Frame {
  /** Rendered lines with escapes, none wider than the terminal. */
  lines: readonly string[];
  /** 0-based; absent: hide the cursor. */
  cursor?: { row: number; column: number };
}

const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const RESET = '\u001b[0m';
const ERASE_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';
const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';

const moveTo = (row: number, column: number): string => `\u001b[${row + 1};${column + 1}H`;

export class Painter {
  readonly #write: (text: string) => void;
  #last: readonly string[] | undefined;
  #cursor: Frame['cursor'];
  /** Number of frames that wrote something, and of the characters in them. */
  readonly written = { frames: 0, characters: 0 };

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Makes the painter write the next frame whole, e.g. after a resize or after foreign output. */
  forget(): void {
    this.#last = undefined;
  }

  /** @returns whether it wrote anything */
  paint({ lines, cursor }: Frame): boolean {
    const shift = this.#last && shiftOf(this.#last, lines);
    const last = shift && this.#last ? shifted(this.#last, shift) : this.#last;
    let out = shift ? shiftCommand(shift) : '';
    lines.forEach((line, row) => {
      if (last?.[row] === line) return;
      const part = last?.[row] === undefined ? undefined : changedPart(last[row], line);
      out += part
        ? `${moveTo(row, part.column)}${RESET}${part.text}`
        : `${moveTo(row, 0)}${RESET}${line}${RESET}${ERASE_LINE}`;
    });
    if (last === undefined || last.length > lines.length) out += `${moveTo(lines.length, 0)}${RESET}${ERASE_BELOW}`;
    const moved = cursor?.row !== this.#cursor?.row || cursor?.column !== this.#cursor?.column;
    if (out === '' && !moved && last !== undefined) return false;
    out += cursor ? `${moveTo(cursor.row, cursor.column)}${SHOW}` : HIDE;
    this.#last = [...lines];
    this.#cursor = cursor;
    const text = `${BEGIN}${HIDE}${out}${END}`;
    this.written.frames += 1;
    this.written.characters += text.length;
    this.#write(text);
    return true;
  }
}

/** A block of lines that the next frame shows lower (`by` above 0) or higher. Rows are 0-based. */
interface Shift {
  top: number;
  bottom: number;
  by: number;
}

/** A shift is worth its cost when it saves at least this many lines. */
const WORTH = 3;
const FARTHEST = 20;

/** Lists grow at one end. The terminal can move the remaining lines for a few characters. */
function shiftOf(last: readonly string[], next: readonly string[]): Shift | undefined {
  let best: (Shift & { saves: number }) | undefined;
  for (let by = -FARTHEST; by <= FARTHEST; by++) {
    if (by === 0) continue;
    let start = 0;
    let saves = 0;
    for (let row = 0; row <= next.length; row++) {
      const same = row < next.length && next[row] === last[row - by];
      if (same) {
        if (next[row] !== last[row]) saves += 1;
        continue;
      }
      if (saves > (best?.saves ?? WORTH - 1)) {
        const [top, bottom] = by > 0 ? [start - by, row - 1] : [start, row - 1 - by];
        best = { top, bottom, by, saves };
      }
      start = row + 1;
      saves = 0;
    }
  }
  return best;
}

function shifted(last: readonly string[], { top, bottom, by }: Shift): string[] {
  return last.map((line, row) => {
    if (row < top || row > bottom) return line;
    const from = row - by;
    return from < top || from > bottom ? '' : (last[from] ?? '');
  });
}

/** Inserts or deletes lines at the top of the block, within margins. */
const shiftCommand = ({ top, bottom, by }: Shift): string =>
  `\u001b[${top + 1};${bottom + 1}r${moveTo(top, 0)}${RESET}\u001b[${Math.abs(by)}${by > 0 ? 'L' : 'M'}\u001b[r`;
