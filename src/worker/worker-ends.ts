/**
 * Counts how often in a row the worker ended before it reached the server, and keeps that in the worker's record, so that
 * other commands know it. Invariant: never throws; one end alone is not kept, because a worker is back within seconds.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tailOfOwn } from '../config/own-files.js';
import type { Ends } from './record.js';

const MOST_BYTES = 16_000;
const MOST_TEXT = 300;

export class WorkerEnds {
  readonly #keep: (ends: Ends | undefined) => Promise<void>;
  #ends: Ends | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(keep: (ends: Ends | undefined) => Promise<void>) {
    this.#keep = keep;
  }

  /** Undefined: the worker works, or ended once only. */
  get now(): Ends | undefined {
    return this.#ends && this.#ends.times > 1 ? this.#ends : undefined;
  }

  /** `how`: exit code, signal, or why it did not start. */
  add(how: number | string, error: string | undefined): void {
    this.#ends = {
      times: (this.#ends?.times ?? 0) + 1,
      since: this.#ends?.since ?? new Date().toISOString(),
      how: typeof how === 'number' ? `exit code ${how}` : how,
      ...(error === undefined ? {} : { error }),
    };
    if (this.now) this.#write();
  }

  cameUp(): void {
    const kept = this.now !== undefined;
    this.#ends = undefined;
    if (kept) this.#write();
  }

  /** Resolves once nothing is written any more. */
  written(): Promise<void> {
    return this.#writing;
  }

  #write(): void {
    const ends = this.now;
    this.#writing = this.#writing.then(() => this.#keep(ends)).catch(() => {});
  }
}

/** Where a worker writes what it says before it has a log, and how large that file was before. */
interface Said {
  path: string;
  from: number;
}

/** Opens the file for a new worker; the caller closes `fd`. */
export function openSaid(path: string): { fd: number; said: Said } {
  const fd = openSync(path, 'a', 0o600);
  try {
    return { fd, said: { path, from: fstatSync(fd).size } };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** The line that names the error: Node prints the stack and its version after it. */
export async function lastError({ path, from }: Said): Promise<string | undefined> {
  const size = await stat(path).then(
    (found) => found.size,
    () => from,
  );
  const text = await tailOfOwn(path, Math.min(MOST_BYTES, Math.max(0, size - from))).catch(() => undefined);
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  const line =
    lines.findLast((one) => /^\w*Error\b/.test(one)) ?? lines.findLast((one) => !/^(?:\s|Node\.js v)/.test(one));
  return line?.trim().slice(0, MOST_TEXT);
}
