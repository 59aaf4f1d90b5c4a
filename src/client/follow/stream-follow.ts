/**
 * Reads lines of `stream.jsonl` as an agent writes them.
 * Invariant: loses and repeats no line while the file rotates. Half a line waits for its rest. Memory is bounded by the
 * bytes since the last read.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { olderStream, type StreamLine } from '../../agents/reading/stream.js';

const CHUNK = 64 << 10;

export class StreamFollower {
  #file: FileHandle | undefined;
  #inode = -1;
  #rest = '';
  #decoder = new StringDecoder('utf8');
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
    this.#rest = '';
    this.#decoder = new StringDecoder('utf8');
  }

  async #open(): Promise<boolean> {
    // The first call also reads the rotated file.
    const older = this.#began ? undefined : await open(olderStream(this.path)).catch(() => undefined);
    this.#began = true;
    this.#file = older ?? (await open(this.path).catch(() => undefined));
    if (!this.#file) return false;
    this.#inode = (await this.#file.stat()).ino;
    return true;
  }

  async #drain(lines: StreamLine[]): Promise<void> {
    const chunk = Buffer.alloc(CHUNK);
    for (;;) {
      const { bytesRead } = (await this.#file?.read(chunk, 0, CHUNK, null)) ?? { bytesRead: 0 };
      if (bytesRead === 0) return;
      const parts = (this.#rest + this.#decoder.write(chunk.subarray(0, bytesRead))).split('\n');
      this.#rest = parts.pop() ?? '';
      for (const part of parts) {
        const line = parse(part);
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
