/**
 * Writes output so that its reader gets all of it.
 * Invariant: the process ends only after a slow reader of a pipe has everything, and at once when the reader has gone
 * (`ralphctl logs | head`). Every command loads this, so it imports nothing heavy.
 */
import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { asSystemError } from '../config/system-errors.js';
import { EXIT, UserError } from '../protocol/user-error.js';
import { withLocalTimes } from '../screen/text/time.js';

/** Resolves once everything written so far has left the process, or the reader has gone. */
export const flushed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    // A failed write is known before its error is told, which ends the process with a code of its own.
    if (stream.destroyed || (stream.writableLength === 0 && !stream.errored)) return resolve();
    stream.once('close', resolve);
    if (!stream.errored) stream.write('', (error) => error ?? resolve());
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

/**
 * A reader that has gone ends the program silently, with the code a shell shows for SIGPIPE. Output that cannot be
 * written, for example to a full disk, ends it with one sentence.
 */
export function endWithReader(stream: Writable): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.closedPipe);
    try {
      writeSync(2, `${unwritten(error)}\n`);
    } catch {
      // Standard error may be on the same full disk.
    }
    process.exit(EXIT.internal);
  });
}

function unwritten({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `ralphctl: cannot write the output: the disk is full (${code}). Free disk space, then call the command again`;
  return `ralphctl: cannot write the output: ${message}`;
}

/** C1 control characters, marks that change the direction of text, and line separators: JSON allows them in strings. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON that cannot steer a terminal, on one line unless `indent` says otherwise. Parsed, it is the same value. */
export const jsonText = (value: unknown, indent?: number): string | undefined =>
  JSON.stringify(value, null, indent)?.replace(
    UNSAFE,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The lines of a text that names files, branches or ideas: what came from outside cannot steer a terminal. */
export const safeLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => stripVTControlCharacters(line).replace(STEERS, ' ').trimEnd())
    .join('\n');

const STEERS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/* Turns an error of a command into one message and an exit code. */

/** `shown`: how a message goes to the terminal. */
export function explain(error: unknown, json: boolean, shown: (text: string) => string = String): number {
  const known = error instanceof UserError ? error : asSystemError(error);
  const exitCode = known?.exitCode ?? EXIT.internal;
  const message = known?.message ?? (error instanceof Error ? error.message : String(error));
  if (json) {
    const record = { kind: 'error', message, exitCode, fix: known?.fix, ...known?.details };
    process.stdout.write(`${jsonText(record)}\n`);
  } else process.stderr.write(`${shown(withLocalTimes(safeLines(`ralphctl: ${message}`)))}\n`);
  if (!known && error instanceof Error && process.env.RALPHCTL_DEBUG)
    process.stderr.write(`${safeLines(error.stack ?? '')}\n`);
  return exitCode;
}
