/**
 * Reads a file of a repository that an agent may have replaced.
 * Invariant: waits on no pipe and reads no device, folder or huge file: those are errors at once. Must not import anything
 * of ours.
 */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** More than any reflog or list of packed refs that git still works with. */
const LONGEST = 256 << 20;

/** @throws where the file is missing, not a regular file, or too long */
export async function readRegular(path: string, encoding: 'utf8' | 'base64' = 'utf8'): Promise<string> {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const about = await file.stat();
    if (!about.isFile()) throw new Error(`${path} is not a regular file`);
    if (about.size > LONGEST) throw new Error(`${path} is longer than ${LONGEST >> 20} MB`);
    return await file.readFile(encoding);
  } finally {
    await file.close();
  }
}
