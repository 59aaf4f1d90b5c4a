/**
 * Passes a child's two output streams to the log, the tail and the line consumer.
 * Invariant: log and tail contain no secret; lines are unchanged. A slow disk pauses the child and nothing piles up.
 * `finish` ends even when a stream never does.
 */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogFile } from './log-file.js';
import { RedactingStream } from './redact.js';

export interface TeeOptions {
  onLine?: (line: string, stream: 'stdout' | 'stderr', truncated: boolean) => void;
  maxLineBytes?: number;
  tailBytes?: number;
  /** Texts that must not reach log and tail, besides text shaped like a token. */
  secrets?: readonly string[];
}

/** How long a stream may stay silent after the end of the tree before it is given up. */
const QUIET_MS = 500;

export class OutputTee {
  stdoutBytes = 0;
  stderrBytes = 0;
  onConsumerError: (error: unknown) => void = () => undefined;
  readonly #ring: ByteRing;
  readonly #splitters: LineSplitter[] = [];
  readonly #redactors: RedactingStream[] = [];
  readonly #streams: Readable[];
  #open = 2;
  #paused = false;

  constructor(
    stdout: Readable,
    stderr: Readable,
    private readonly log: LogFile,
    private readonly touch: () => void,
    private readonly options: TeeOptions,
  ) {
    this.#ring = new ByteRing(options.tailBytes ?? 64 << 10);
    this.#streams = [stdout, stderr];
    this.#attach(stdout, 'stdout');
    this.#attach(stderr, 'stderr');
  }

  #attach(stream: Readable, name: 'stdout' | 'stderr'): void {
    const { onLine, maxLineBytes = 1 << 20 } = this.options;
    const splitter = onLine && new LineSplitter((line, truncated) => onLine(line, name, truncated), maxLineBytes);
    if (splitter) this.#splitters.push(splitter);
    const redactor = new RedactingStream(this.options.secrets ?? []);
    this.#redactors.push(redactor);
    stream.on('data', (chunk: Buffer) => {
      this.touch();
      if (name === 'stdout') this.stdoutBytes += chunk.length;
      else this.stderrBytes += chunk.length;
      if (splitter) this.#consume(() => splitter.push(chunk));
      if (this.#keep(redactor.push(chunk))) this.#pause();
    });
    stream.on('error', () => undefined);
    stream.once('close', () => {
      this.#open--;
    });
  }

  /** True: pause. */
  #keep(bytes: Buffer): boolean {
    if (bytes.length === 0) return false;
    this.#ring.push(bytes);
    return this.log.write(bytes);
  }

  #consume(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.onConsumerError(error);
    }
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    for (const stream of this.#streams) stream.pause();
  }

  /** The log accepts data again. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    for (const stream of this.#streams) stream.resume();
  }

  /** Reads the rest of the pipes, gives up on streams that are held open, emits the last lines. */
  async finish(): Promise<void> {
    let seen = -1;
    for (let quiet = 0; this.#open > 0 && quiet < QUIET_MS; ) {
      await sleep(10);
      const bytes = this.stdoutBytes + this.stderrBytes;
      quiet = bytes === seen && !this.#paused ? quiet + 10 : 0;
      seen = bytes;
    }
    for (const stream of this.#streams) stream.destroy();
    for (const redactor of this.#redactors) this.#keep(redactor.end());
    for (const splitter of this.#splitters) this.#consume(() => splitter.end());
  }

  tail(): string {
    return this.#ring.toString();
  }
}

/*
 * Keeps the last bytes of a stream.
 * Invariant: memory never exceeds the size given at the start, and stays small for small output.
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

  /** Before the buffer is full nothing has been overwritten, so the data is in order from the start. */
  #grow(wanted: number): void {
    if (wanted <= this.#bytes.length || this.#bytes.length === this.#size) return;
    const bytes = Buffer.allocUnsafe(Math.min(this.#size, Math.max(wanted, this.#bytes.length * 4)));
    this.#bytes.copy(bytes, 0, 0, this.#filled);
    this.#bytes = bytes;
    this.#next = this.#filled;
  }

  /** The kept data as text; a character that the cut split is omitted. */
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
    const free = this.maxLineBytes - this.#heldBytes;
    if (part.length > free) this.#truncated = true;
    if (free <= 0 || part.length === 0) return;
    const kept = part.subarray(0, free);
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
