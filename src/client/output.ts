/**
 * Writes output so that its reader gets all of it.
 * Invariant: the process ends only after a slow reader of a pipe has everything, and at once when the reader has gone
 * (`ralphctl logs | head`). Every command loads this, so it imports nothing heavy.
 */
import type { Writable } from 'node:stream';
import { EXIT, UserError } from '../protocol/user-error.js';

/** Resolves once everything written so far has left the process, or the reader has gone. */
export const flushed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve();
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });

/** Writes `chunk`; resolves when the next one may follow, so that a large file never piles up in memory. */
export const writeAll = (stream: Writable, chunk: Buffer | string): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.write(chunk)) return resolve();
    const go = (): void => {
      stream.off('drain', go);
      stream.off('close', go);
      resolve();
    };
    stream.once('drain', go);
    stream.once('close', go);
  });

/** A reader that has gone ends the program silently, with the code a shell shows for SIGPIPE. */
export function endWithReader(stream: Writable): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(SIGPIPE_CODE);
    throw error;
  });
}

const SIGPIPE_CODE = 141;

/* Turns an error of a command into one message and an exit code. */

/** `shown`: how a message goes to the terminal. */
export function explain(error: unknown, json: boolean, shown: (text: string) => string = String): number {
  const known = error instanceof UserError ? error : undefined;
  const exitCode = known?.exitCode ?? EXIT.internal;
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    const record = { kind: 'error', message, exitCode, fix: known?.fix, ...known?.details };
    process.stdout.write(`${JSON.stringify(record)}\n`);
  } else process.stderr.write(`${shown(`ralphctl: ${message}`)}\n`);
  if (!known && error instanceof Error && process.env.RALPHCTL_DEBUG) process.stderr.write(`${error.stack}\n`);
  return exitCode;
}
