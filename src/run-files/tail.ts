/** The complete lines of a growing file, each once. Memory is bounded, as in {@link LineSplitter}. */
import { LineSplitter } from '../config/lines.js';
import { openOwn } from '../config/own-files.js';

export class LineTail {
  readonly #path: string;
  readonly #lines = new LineSplitter();
  readonly #chunk = Buffer.alloc(64 * 1024);
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Lines that have come since the last call; a half-written last one waits for a later call. None without the file.
   * @throws StoredFileError or SystemError where something else is in the place of the file
   */
  async *take(): AsyncGenerator<string> {
    const file = await openOwn(this.#path);
    try {
      for (;;) {
        const { bytesRead } = (await file?.read(this.#chunk, 0, this.#chunk.length, this.#offset)) ?? { bytesRead: 0 };
        if (bytesRead === 0) return;
        this.#offset += bytesRead;
        for (const { line } of this.#lines.take(this.#chunk.subarray(0, bytesRead)))
          if (line && line.length > 0) yield line.toString('utf8');
      }
    } finally {
      await file?.close();
    }
  }
}
