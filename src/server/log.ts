/** Bounds the server's own log to `server.log` and `server.log.1`. */
import { copyFile, rename, stat, truncate } from 'node:fs/promises';
import { openOwn } from '../config/own-files.js';

export const LOG_LIMIT_BYTES = 5 * 1024 * 1024;

const size = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** Moves a log above the limit to `<path>.1`. Call it only while nothing writes to the log. */
export async function rotateStopped(path: string, limit = LOG_LIMIT_BYTES): Promise<void> {
  if ((await size(path)) > limit) await rename(path, `${path}.1`);
}

/**
 * The same for a running server, which keeps its descriptor and writes in append mode: copies the log, then empties it.
 * Lines written between the two steps are lost.
 */
export async function rotateRunning(path: string, limit = LOG_LIMIT_BYTES): Promise<void> {
  if ((await size(path)) <= limit) return;
  await copyFile(path, `${path}.1`);
  await truncate(path, 0);
}

/** Up to `bytes` from the end of the log, starting no earlier than offset `from`. */
export async function logTail(path: string, from: number, bytes = 2000): Promise<string> {
  const file = await openOwn(path).catch(() => undefined);
  if (!file) return '';
  try {
    const { size: end } = await file.stat();
    const start = Math.max(from, end - bytes, 0);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, end - start)), 0, undefined, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}
