/**
 * A log file that goes on in the next one once it is large: `worker.1.log`, `worker.2.log`. Only the newest stay.
 * Invariant: works in a folder of any name that the file system takes. (`pino-roll` refuses those that Windows does not.)
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';

interface RollOptions {
  /** Path without number and ending. */
  file: string;
  /** Size at which the next file begins, in bytes. */
  size: number;
  /** How many files stay besides the one that is written. */
  keep: number;
}

/** @throws where the file cannot be opened */
export async function rollingFile({ file, size, keep }: RollOptions): Promise<ReturnType<typeof pino.destination>> {
  const dir = dirname(file);
  const name = file.slice(dir.length + 1);
  const path = (number: number): string => join(dir, `${name}.${number}.log`);
  mkdirSync(dir, { recursive: true });
  let number = Math.max(1, ...numbersIn(dir, name));
  let written = statSync(path(number), { throwIfNoEntry: false })?.size ?? 0;
  const destination = pino.destination({ dest: path(number), mode: 0o600, sync: false });
  await once(destination, 'ready');
  destination.on('write', (bytes: number) => {
    written += bytes;
    if (written < size) return;
    written = 0;
    number += 1;
    destination.reopen(path(number));
    for (const one of numbersIn(dir, name)) if (one < number - keep) rmSync(path(one), { force: true });
  });
  return destination;
}

function numbersIn(dir: string, name: string): number[] {
  return readdirSync(dir).flatMap((one) => {
    const number = one.startsWith(`${name}.`) ? /^(\d+)\.log$/.exec(one.slice(name.length + 1))?.[1] : undefined;
    return number === undefined ? [] : [Number(number)];
  });
}
