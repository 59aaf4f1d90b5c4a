/**
 * Reads lines of `stream.jsonl` as an agent writes them.
 * Invariant: loses and repeats no line while the file rotates. Half a line waits for its rest. Memory is bounded by the
 * bytes since the last read.
 */
import { type FileHandle, stat } from 'node:fs/promises';
import { olderStream, type StreamLine } from '../../agents/reading/stream.js';
import { LineSplitter } from '../../config/lines.js';
import { openOwn } from '../../config/own-files.js';

const CHUNK = 64 << 10;

export class StreamFollower {
  #file: FileHandle | undefined;
  #inode = -1;
  #lines = new LineSplitter();
  #began = false;

  constructor(private readonly path: string) {}

  /** Lines since the last call. */
  async read(): Promise<StreamLine[]> {
    const lines: StreamLine[] = [];
    // The file may rotate again while this reads the previous one to its end.
    for (let turns = 0; turns < 10; turns++) {
      if (!this.#file && !(await this.#open())) break;
      await this.#drain(lines);
      const now = await stat(this.path).catch(() => undefined);
      if (!now || now.ino === this.#inode) break;
      await this.#drain(lines);
      await this.close();
    }
    return lines;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    this.#lines = new LineSplitter();
  }

  async #open(): Promise<boolean> {
    // The first call also reads the rotated file.
    const older = this.#began ? undefined : await openOwn(olderStream(this.path));
    this.#began = true;
    this.#file = older ?? (await openOwn(this.path));
    if (!this.#file) return false;
    this.#inode = (await this.#file.stat()).ino;
    return true;
  }

  async #drain(lines: StreamLine[]): Promise<void> {
    const chunk = Buffer.alloc(CHUNK);
    for (;;) {
      const { bytesRead } = (await this.#file?.read(chunk, 0, CHUNK, null)) ?? { bytesRead: 0 };
      if (bytesRead === 0) return;
      for (const found of this.#lines.take(chunk.subarray(0, bytesRead))) {
        const line = found.line && parse(found.line.toString('utf8'));
        if (line) lines.push(line);
      }
    }
  }
}

function parse(text: string): StreamLine | undefined {
  try {
    const line = JSON.parse(text) as StreamLine;
    return typeof line?.kind === 'string' && typeof line.at === 'string' ? line : undefined;
  } catch {
    return undefined;
  }
}
