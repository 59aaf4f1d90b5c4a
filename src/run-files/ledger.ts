/**
 * Reads the evidence ledger of a project, and checks the chain of its lines.
 * Invariant: a damaged line is a fault with its number and never stops the reading.
 */
import { createHash } from 'node:crypto';
import { LineSplitter } from '../config/lines.js';
import { openOwn } from '../config/own-files.js';
import { isLedgerRow } from '../config/schema/ledger.js';
import { FIRST_PREV, type LedgerRow } from '../protocol/ledger.js';

export interface LedgerFault {
  /** Line in the file, from 1. */
  line: number;
  what: string;
}

export const hashOfLine = (line: string | Buffer): string => createHash('sha256').update(line).digest('hex');

/** Follows the chain from the first line, or from where it stopped. */
export class ChainReader {
  /** Of the last operation. */
  n = 0;
  hash = FIRST_PREV;
  readonly ids = new Set<string>();
  readonly faults: LedgerFault[] = [];
  /** Bytes of whole lines that have been read. */
  offset = 0;
  /** The file ends with half a line. */
  torn = false;
  /** Lines that have been read. */
  lines = 0;

  /** Reads what was added to the file; a missing file is empty. */
  async *read(path: string): AsyncGenerator<LedgerRow> {
    const file = await openOwn(path);
    if (!file) return;
    try {
      const lines = new LineSplitter();
      const chunk = Buffer.alloc(256 * 1024);
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunk.length, this.offset + lines.held);
        if (bytesRead === 0) break;
        for (const { line, bytes } of lines.take(chunk.subarray(0, bytesRead))) {
          this.offset += bytes;
          const row = this.#take(line);
          if (row) yield row;
        }
      }
      this.torn = lines.held > 0;
    } finally {
      await file.close();
    }
  }

  #take(bytes: Buffer | undefined): LedgerRow | undefined {
    this.lines += 1;
    const row = bytes && parse(bytes);
    if (!row) {
      this.#fault('it is no operation: a crash cut it off, or someone changed it');
      return undefined;
    }
    if (row.prev !== this.hash || row.n !== this.n + 1)
      this.#fault(`operation ${row.n} does not follow operation ${this.n}: someone changed, removed or added lines`);
    else if (this.ids.has(row.id)) this.#fault(`operation ${row.n} repeats the id ${row.id}`);
    this.n = row.n;
    this.hash = hashOfLine(bytes);
    this.ids.add(row.id);
    return row;
  }

  #fault(what: string): void {
    this.faults.push({ line: this.lines, what });
  }
}

function parse(bytes: Buffer): LedgerRow | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isLedgerRow(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
