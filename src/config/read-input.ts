/**
 * Reads a file that a person named: backlog, configuration, template, script.
 * Invariant: reads regular files only, and never more than the limit. A device, a pipe or a huge file is an error at
 * once. The process reads few files at the same time: a project may have ten thousand of one kind, and a process has few
 * file descriptors.
 * Must not import anything of ours.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

export const MIB = 1024 * 1024;
/** Of one file of a backlog. */
export const MAX_BACKLOG_BYTES = 32 * MIB;

export type InputFault = 'missing' | 'folder' | 'not-regular' | 'too-large' | 'unreadable';

/** `message` is a clause without the file's name, such as "is a folder, not a file". `cause`: the system's error. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly fault: InputFault;
  constructor(fault: InputFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

function asInputError(error: unknown): InputError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new InputError('missing', 'there is no such file', { cause: error });
  if (code === 'EISDIR') return new InputError('folder', 'this is a folder, not a file');
  if (code === 'ENXIO') return new InputError('not-regular', 'this is not a regular file (a socket or a pipe)');
  if (code === 'ERR_INVALID_ARG_VALUE') return new InputError('unreadable', 'the path contains a NUL character');
  return new InputError('unreadable', `cannot be read (${code})`, { cause: error });
}

/** `size`: as the system reports it. The buffer fits it, because most files are small and a large buffer costs time. */
async function upTo(file: FileHandle, bytes: number, size: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let total = 0;
  for (;;) {
    const next = Math.min(MIB, Math.max(size + 1 - total, 4096), bytes + 1 - total);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(next));
    if (bytesRead === 0) return Buffer.concat(parts, total);
    total += bytesRead;
    if (total > bytes) throw new InputError('too-large', `larger than ${bytes / MIB} MB`);
    parts.push(buffer.subarray(0, bytesRead));
  }
}

/**
 * Opens a regular file, and nothing else.
 * @param flags of `open`, for reading unless given
 * @throws InputError, and nothing else
 */
export async function openRegular(path: string, flags = constants.O_RDONLY, mode?: number): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe waits for its other end.
    file = await open(path, flags | constants.O_NONBLOCK, mode);
    const about = await file.stat();
    if (about.isDirectory()) throw new InputError('folder', 'this is a folder, not a file');
    if (!about.isFile()) throw new InputError('not-regular', 'this is not a regular file (a device or a pipe)');
    return file;
  } catch (error) {
    await file?.close();
    throw error instanceof InputError ? error : asInputError(error);
  }
}

/** Files that are read at the same time; more would only wait for the disk. */
const AT_ONCE = 32;
let reading = 0;
const waiting: (() => void)[] = [];

/**
 * @param path absolute, or relative to the working directory
 * @param maxBytes most bytes that are read
 * @throws InputError, and nothing else
 */
export async function readInput(path: string, maxBytes: number): Promise<Buffer> {
  // A read that ends passes its place to the next one, so the count stays.
  if (reading >= AT_ONCE) await new Promise<void>((go) => waiting.push(go));
  else reading++;
  try {
    return await readNow(path, maxBytes);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else reading--;
  }
}

async function readNow(path: string, maxBytes: number): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    // Files in /proc report size 0, so the size does not bound the read.
    const { size } = await file.stat();
    if (size > maxBytes) throw new InputError('too-large', `larger than ${maxBytes / MIB} MB`);
    return await upTo(file, maxBytes, size);
  } catch (error) {
    throw error instanceof InputError ? error : asInputError(error);
  } finally {
    await file.close();
  }
}
