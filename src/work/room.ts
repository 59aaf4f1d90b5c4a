/**
 * Is there room on the disks that work needs? Asked before anything is started, because a full disk fails every idea in
 * turn, and half-written files are worse than none.
 */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/schema.js';
import { FAILURE } from '../protocol/failures.js';
import { WorkError } from './work-error.js';

const MB = 1024 * 1024;

/**
 * @param retryable whether the server may ask again by itself
 * @throws WorkError of type `diskFull` that names the disk and what is missing
 */
export async function assertRoom(paths: readonly string[], { disk }: Config, retryable = false): Promise<void> {
  for (const path of paths) {
    const found = await nearest(path);
    if (!found) continue;
    const { bavail, bsize, ffree, files } = found;
    const free = Math.floor((bavail * bsize) / MB);
    if (free < disk.minFreeMegabytes) {
      const message = `the disk of ${path} has only ${free} MB free; ralphctl starts nothing below ${disk.minFreeMegabytes} MB (disk.minFreeMegabytes)`;
      throw new WorkError(message, FAILURE.diskFull, retryable);
    }
    // File systems without a fixed number of inodes say that they have none.
    if (files > 0 && ffree < disk.minFreeInodes) {
      const message = `the disk of ${path} has room for only ${ffree} more files; ralphctl starts nothing below ${disk.minFreeInodes} (disk.minFreeInodes)`;
      throw new WorkError(message, FAILURE.diskFull, retryable);
    }
  }
}

/** Of the folder itself or the nearest one above it that exists. */
async function nearest(path: string) {
  for (let at = path; ; at = dirname(at)) {
    const found = await statfs(at).catch(() => undefined);
    if (found || at === dirname(at)) return found;
  }
}
