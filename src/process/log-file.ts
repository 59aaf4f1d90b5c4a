/**
 * Writes a run's output to disk as it arrives.
 * Invariant: never more than the limit on disk (plus one line about the omitted part), with both the beginning and the
 * end of the output. Never more than the queue limit in memory. A failing disk loses the log, not the run.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

const QUEUE_LIMIT = 1 << 20;

interface Segment {
  path: string;
  file: FileHandle;
  bytes: number;
}

export class LogFile {
  #queue: Buffer[] = [];
  #queued = 0;
  #heldBack = false;
  #busy: Promise<void> | undefined;
  #total = 0;
  #older: Segment | undefined;
  #newer: Segment | undefined;
  error: string | undefined;

  private constructor(
    private readonly head: Segment,
    private readonly maxBytes: number,
    private readonly onDrain: () => void,
  ) {}

  /** Creates the file and its folder; an existing file is emptied. Rejects when that is not possible. */
  static async open(path: string, maxBytes: number, onDrain: () => void): Promise<LogFile> {
    await mkdir(dirname(path), { recursive: true });
    return new LogFile({ path, file: await open(path, 'w', 0o600), bytes: 0 }, Math.max(4096, maxBytes), onDrain);
  }

  /** Queues a chunk. True: pause until `onDrain` is called. */
  write(chunk: Buffer): boolean {
    this.#total += chunk.length;
    if (this.error !== undefined) return false;
    this.#queue.push(chunk);
    this.#queued += chunk.length;
    this.#busy ??= this.#pump();
    if (this.#queued > QUEUE_LIMIT) this.#heldBack = true;
    return this.#heldBack;
  }

  async #pump(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      this.#queued = 0;
      try {
        await this.#put(batch);
      } catch (error) {
        this.error ??= error instanceof Error ? error.message : String(error);
        this.#queue = [];
        this.#queued = 0;
      }
      if (this.#heldBack) {
        this.#heldBack = false;
        this.onDrain();
      }
    }
    this.#busy = undefined;
  }

  async #put(batch: Buffer[]): Promise<void> {
    let rest = batch;
    while (rest.length > 0) {
      const { segment, free } = await this.#target();
      const now: Buffer[] = [];
      const later: Buffer[] = [];
      let left = free;
      for (const chunk of rest) {
        if (left > 0) now.push(chunk.subarray(0, left));
        if (chunk.length > left) later.push(chunk.subarray(left));
        left -= Math.min(left, chunk.length);
      }
      const { bytesWritten } = await segment.file.writev(now);
      segment.bytes += bytesWritten;
      const wanted = free - left;
      if (bytesWritten < wanted) throw new Error(`Only ${bytesWritten} of ${wanted} bytes were written: disk full?`);
      rest = later;
    }
  }

  /** The file for the next bytes: the head until it is full, then two alternating tails. */
  async #target(): Promise<{ segment: Segment; free: number }> {
    const headFree = Math.floor(this.maxBytes / 2) - this.head.bytes;
    if (headFree > 0) return { segment: this.head, free: headFree };
    const size = Math.floor(this.maxBytes / 4);
    if (!this.#newer || this.#newer.bytes >= size) {
      const free = this.#older?.path ?? `${this.head.path}.tail-${this.#newer ? 'b' : 'a'}`;
      await this.#older?.file.close();
      this.#older = this.#newer;
      this.#newer = { path: free, file: await open(free, 'w', 0o600), bytes: 0 };
    }
    return { segment: this.#newer, free: size - this.#newer.bytes };
  }

  /** Joins head and tails. Never rejects; see `error`. */
  async close(): Promise<void> {
    while (this.#busy) await this.#busy;
    const tails = [this.#older, this.#newer].filter((segment) => segment !== undefined);
    try {
      const leftOut = this.#total - [this.head, ...tails].reduce((sum, segment) => sum + segment.bytes, 0);
      if (leftOut > 0 && this.error === undefined) {
        await this.head.file.write(
          `\n[ralphctl: ${leftOut} bytes left out here; this log is limited to ${this.maxBytes} bytes]\n`,
        );
      }
      for (const tail of tails) {
        await pipeline(createReadStream(tail.path), createWriteStream(this.head.path, { flags: 'a' }));
      }
    } catch (error) {
      this.error ??= error instanceof Error ? error.message : String(error);
    }
    for (const segment of [this.head, ...tails]) await segment.file.close().catch(() => undefined);
    for (const tail of tails) await rm(tail.path, { force: true }).catch(() => undefined);
  }
}
