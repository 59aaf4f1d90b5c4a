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
    const last = this.#last;
    let out = '';
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
