/** Finds the files that the build puts into dist/, from any chunk. */
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of a file of dist/, e.g. `cli.js`. */
export function programFile(name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return join(basename(here) === 'chunks' ? dirname(here) : here, name);
}
