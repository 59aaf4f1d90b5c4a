/**
 * Reads the files that belong to a backlog, such as the settings of its tool. Invariant: skips a missing or unreadable
 * file.
 */
import { dirname, join } from 'node:path';
import { MIB, readInput } from '../config/read-input.js';
import type { Format } from './formats/format.js';
import type { Beside } from './formats/source.js';

const MAX_BYTES = 8 * MIB;

export async function readBeside({ beside = [] }: Format, file: string): Promise<Beside> {
  const found = new Map<string, string>();
  for (const name of beside) {
    const bytes = await readInput(join(dirname(file), name), MAX_BYTES).catch(() => undefined);
    if (bytes) found.set(name, new TextDecoder().decode(bytes));
  }
  return found;
}
