/**
 * Writes frames to a terminal: only lines that changed, each with one cursor move.
 * Invariant: a frame equal to the last one writes nothing, and no frame scrolls the terminal. Knows nothing of what the
 * lines mean; must not import the model or the screens.
 */

export interface Frame {
  /** Rendered lines, escapes included, none wider than the terminal. */
  lines: readonly string[];
  /** 0-based; absent: the cursor is hidden. */
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
  /** Frames that wrote something, and the characters they wrote. */
  readonly written = { frames: 0, characters: 0 };

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** The next frame is written whole, e.g. after a resize or when something else has written. */
  forget(): void {
    this.#last = undefined;
  }

  /** @returns whether anything was written. */
  paint({ lines, cursor }: Frame): boolean {
    const shift = this.#last && shiftOf(this.#last, lines);
    const last = shift && this.#last ? shifted(this.#last, shift) : this.#last;
    let out = shift ? shiftCommand(shift) : '';
    lines.forEach((line, row) => {
      if (last?.[row] === line) return;
      out += `${moveTo(row, 0)}${RESET}${line}${RESET}${ERASE_LINE}`;
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

/** A block of lines that stands some lines lower (`by` above 0) or higher in the next frame. Rows are 0-based. */
interface Shift {
  top: number;
  bottom: number;
  by: number;
}

/** Lines that must be saved by a shift. */
const WORTH = 3;
const FARTHEST = 20;

/** Lists grow at one end: the lines that stay are moved by the terminal, which costs a few characters. */
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

/** Within margins, lines are inserted or deleted at the top of the block. */
const shiftCommand = ({ top, bottom, by }: Shift): string =>
  `\u001b[${top + 1};${bottom + 1}r${moveTo(top, 0)}${RESET}\u001b[${Math.abs(by)}${by > 0 ? 'L' : 'M'}\u001b[r`;
