/**
 * Keeps the last bytes of a stream.
 * Invariant: memory is never more than the size given at the start, and little while little has come.
 */

/** A gate asks for megabytes, and most gates print a screen. */
const FIRST_BYTES = 16 << 10;

export class ByteRing {
  readonly #size: number;
  #bytes: Buffer;
  #next = 0;
  #filled = 0;

  constructor(size: number) {
    this.#size = Math.max(1, size);
    this.#bytes = Buffer.allocUnsafe(Math.min(this.#size, FIRST_BYTES));
  }

  push(chunk: Buffer): void {
    this.#grow(this.#filled + chunk.length);
    const size = this.#bytes.length;
    const part = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
    const first = Math.min(part.length, size - this.#next);
    part.copy(this.#bytes, this.#next, 0, first);
    part.copy(this.#bytes, 0, first);
    this.#next = (this.#next + part.length) % size;
    this.#filled = Math.min(size, this.#filled + part.length);
  }

  /** Until the whole size is there nothing has been overwritten, so what came lies in order from the start. */
  #grow(wanted: number): void {
    if (wanted <= this.#bytes.length || this.#bytes.length === this.#size) return;
    const bytes = Buffer.allocUnsafe(Math.min(this.#size, Math.max(wanted, this.#bytes.length * 4)));
    this.#bytes.copy(bytes, 0, 0, this.#filled);
    this.#bytes = bytes;
    this.#next = this.#filled;
  }

  /** What is kept, as text; a character that the cut went through is left out. */
  toString(): string {
    const whole = this.#filled === this.#size;
    const bytes = whole
      ? Buffer.concat([this.#bytes.subarray(this.#next), this.#bytes.subarray(0, this.#next)])
      : this.#bytes.subarray(0, this.#filled);
    let start = 0;
    if (whole) while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    return bytes.toString('utf8', start);
  }
}
