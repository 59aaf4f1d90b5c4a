/** Finds the files that the build puts into dist/. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of a file of dist/, e.g. `cli.js`. */
export function programFile(name: string): string {
  return join(dirname(fileURLToPath(import.meta.url)), name);
}
