/**
 * Writes a report to the path that a person named.
 * Invariant: replaces only a regular file, and keeps its mode. A new file is for its owner: it holds prompts and answers. A symlink keeps pointing to its target, and a FIFO or a device gets the text.
 */
import { lstat, realpath, stat, writeFile } from 'node:fs/promises';
import { writeAtomically } from '../../run-files/run.js';

export async function writePage(path: string, text: string): Promise<void> {
  const place = await whereToReplace(path);
  // This follows a symlink to a file that does not exist yet, and opens anything else as it is.
  if (place === undefined) await writeFile(path, text, { mode: 0o600 });
  else await writeAtomically(place, text, { mode: await modeOf(place) });
}

/** The file that a rename may replace or create; undefined when there must be no rename. */
async function whereToReplace(path: string): Promise<string | undefined> {
  const there = await stat(path).catch(() => undefined);
  if (there) return there.isFile() ? realpath(path).catch(() => undefined) : undefined;
  const link = await lstat(path).catch(() => undefined);
  return link ? undefined : path;
}

const modeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );
