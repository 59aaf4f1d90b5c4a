/**
 * Splits the bytes of a growing file into lines.
 * Invariant: memory is bounded: a line above the limit is dropped. No byte of a line is lost when a piece ends inside a
 * character.
 * Must not import anything of ours.
 */
export const MOST_LINE_BYTES = 16 << 20;

export interface FoundLine {
  /** Without its line end; undefined: longer than the limit. */
  line: Buffer | undefined;
  /** Bytes in the file, with the line end. */
  bytes: number;
}

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #most: number;
  #parts: Buffer[] = [];
  #kept = 0;
  /** Bytes of the line that has not ended yet. */
  held = 0;

  constructor(most = MOST_LINE_BYTES) {
    this.#most = most;
  }

  /** The lines that end in this piece. The caller may use the buffer again. */
  *take(piece: Buffer): Generator<FoundLine> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      this.#keep(piece.subarray(start, end));
      start = end + 1;
      yield this.#end();
    }
    this.#keep(piece.subarray(start));
  }

  #keep(part: Buffer): void {
    this.held += part.length;
    if (this.held > this.#most) this.#drop();
    else if (part.length > 0) {
      this.#parts.push(Buffer.from(part));
      this.#kept += part.length;
    }
  }

  #drop(): void {
    this.#parts = [];
    this.#kept = 0;
  }

  #end(): FoundLine {
    const bytes = this.held + 1;
    const line = this.held > this.#most ? undefined : Buffer.concat(this.#parts, this.#kept);
    this.#drop();
    this.held = 0;
    return { line, bytes };
  }
}
