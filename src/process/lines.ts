/**
 * Splits a byte stream into lines.
 * Invariant: memory is bounded by the line limit for any input, and the cost is linear in the bytes.
 */
const LF = 0x0a;
const CR = 0x0d;

export type OnLine = (line: string, truncated: boolean) => void;

/** Calls back for each complete line: no line ending, invalid UTF-8 replaced, over-long lines cut and flagged. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #truncated = false;

  constructor(
    private readonly onLine: OnLine,
    private readonly maxLineBytes: number,
  ) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      if (this.#held.length === 0 && !this.#truncated && end - start <= this.maxLineBytes) {
        this.#emit(chunk, start, end);
      } else {
        this.#hold(chunk.subarray(start, end));
        this.#flush();
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** Emits the last line if it had no line ending. */
  end(): void {
    if (this.#heldBytes > 0) this.#flush();
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    const stop = end > start && bytes[end - 1] === CR ? end - 1 : end;
    const truncated = this.#truncated;
    this.#truncated = false;
    this.onLine(bytes.toString('utf8', start, stop), truncated);
  }

  #hold(part: Buffer): void {
    const room = this.maxLineBytes - this.#heldBytes;
    if (part.length > room) this.#truncated = true;
    if (room <= 0 || part.length === 0) return;
    const kept = part.subarray(0, room);
    this.#held.push(kept);
    this.#heldBytes += kept.length;
    // Without this, a child that writes single bytes would cost an object for each of them.
    if (this.#held.length > 256) this.#held = [Buffer.concat(this.#held)];
  }

  #flush(): void {
    const line = this.#held.length === 1 && this.#held[0] ? this.#held[0] : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#emit(line, 0, line.length);
  }
}
