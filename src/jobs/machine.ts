/**
 * Distinguishes a machine without resources from failed work: the machine recovers, and ralphctl charges nothing to the
 * idea. Must import only the error and types.
 */

import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/schema/config.js';
import type { RunResult } from '../process/run.js';
import { FAILURE } from '../protocol/failures.js';
import { WorkError } from './job.js';

const CODES = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EROFS']);
/** Messages of git, shells and Node about missing resources. */
const WORDS =
  /\b(?:ENOSPC|EDQUOT|EMFILE|ENFILE|EROFS|EIO)\b|No space left on device|Disk quota exceeded|Too many open files|Cannot allocate memory|Read-only file system|Input\/output error/i;
/** git's own words for memory; zlib's come with the function that failed. A tool that git calls has others before them. */
const MEMORY_OF_GIT =
  /(?:^|\(exit \d+\): )(?:fatal|error): (?:Out of memory[,?] \w+ failed|(?:(?:in|de)flate(?:Init|Reset|End)?2?|zlib): out of memory \()/m;
/**
 * Where git could open a file and not write to it, it may leave out the reason of the system. "unable to write new index
 * file" is not here: it may also be that the old one could not be replaced.
 */
const WORDS_OF_GIT =
  /write error\. Out of diskspace|couldn't write '[^'\n]+\.lock'$|error: unable to write file [^:\n]+$|failed to write new configuration file [^:\n]+$/m;

const saysSo = (text: string): boolean => [WORDS, MEMORY_OF_GIT, WORDS_OF_GIT].some((words) => words.test(text));

/** The error itself, or a machine failure in its place. */
export function machineFault(error: unknown): unknown {
  const seen = new Set<unknown>();
  for (let at: unknown = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    // A job may have told it already.
    if (at instanceof WorkError && at.type === FAILURE.machine) return at;
    const { code } = at as { code?: unknown };
    if ((typeof code === 'string' && CODES.has(code)) || saysSo(at.message)) return asFault(at.message);
  }
  return error;
}

/** A program that could not start for lack of resources is not at fault. */
export function assertCouldStart({ launchError, launchCode }: Pick<RunResult, 'launchError' | 'launchCode'>): void {
  if (launchError !== undefined && launchCode !== undefined && CODES.has(launchCode)) throw asFault(launchError);
}

const PREFIX = 'the machine cannot do the work: ';

const asFault = (message: string): WorkError => {
  const what = (message.split('\n').find(saysSo) ?? message).replaceAll(PREFIX, '');
  return new WorkError(`${PREFIX}${what.trim().slice(0, 300)}`, FAILURE.machine, true);
};

/*
 * Checks that the disk takes files before any work starts. A full or read-only disk would fail every idea in turn, and
 * half-written files are worse than none.
 */

const MB = 1024 * 1024;

/**
 * @param retryable whether the server may retry by itself
 * @throws WorkError of type `diskFull` with the disk and what it lacks
 */
export async function assertDiskSpace(paths: readonly string[], { disk }: Config, retryable = false): Promise<void> {
  for (const path of paths) {
    const found = await nearest(path);
    if (!found) continue;
    const { bavail, bsize, ffree, files } = found.about;
    if (await isReadOnly(found.at)) {
      const message = `the disk of ${path} is read-only (EROFS); ralphctl starts nothing there until it is writable. Look at it with: mount, dmesg`;
      throw new WorkError(message, FAILURE.diskFull, retryable);
    }
    const free = Math.floor((bavail * bsize) / MB);
    if (free < disk.minFreeMegabytes) {
      const message = `the disk of ${path} has only ${free} MB free; ralphctl starts nothing below ${disk.minFreeMegabytes} MB (disk.minFreeMegabytes)`;
      throw new WorkError(message, FAILURE.diskFull, retryable);
    }
    // File systems without a fixed number of inodes report zero.
    if (files > 0 && ffree < disk.minFreeInodes) {
      const message = `the disk of ${path} has only ${ffree} free inodes; ralphctl starts nothing below ${disk.minFreeInodes} (disk.minFreeInodes)`;
      throw new WorkError(message, FAILURE.diskFull, retryable);
    }
  }
}

/** Checks the folder itself, or its nearest existing ancestor. */
async function nearest(path: string) {
  for (let at = path; ; at = dirname(at)) {
    const about = await statfs(at).catch(() => undefined);
    if (about) return { at, about };
    if (at === dirname(at)) return undefined;
  }
}

/** The file system, not the folder: root is told so, too. */
const isReadOnly = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'EROFS',
  );
