/** Keeps the last bytes of a stream. Invariant: memory is the size given at the start, whatever comes in. */
export class ByteRing {
  readonly #bytes: Buffer;
  #next = 0;
  #filled = 0;

  constructor(size: number) {
    this.#bytes = Buffer.alloc(Math.max(1, size));
  }

  push(chunk: Buffer): void {
    const size = this.#bytes.length;
    const part = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
    const first = Math.min(part.length, size - this.#next);
    part.copy(this.#bytes, this.#next, 0, first);
    part.copy(this.#bytes, 0, first);
    this.#next = (this.#next + part.length) % size;
    this.#filled = Math.min(size, this.#filled + part.length);
  }

  /** What is kept, as text; a character that the cut went through is left out. */
  toString(): string {
    const whole = this.#filled === this.#bytes.length;
    const bytes = whole
      ? Buffer.concat([this.#bytes.subarray(this.#next), this.#bytes.subarray(0, this.#next)])
      : this.#bytes.subarray(0, this.#filled);
    let start = 0;
    if (whole) while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    return bytes.toString('utf8', start);
  }
}
