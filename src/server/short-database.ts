/**
 * Asks whether a database file lacks pages that nothing can bring back.
 * Invariant: a database in use is never called short. While a checkpoint copies pages from the write-ahead log, the
 * header already states the new size and the file grows later. A kill then leaves the same picture, and the log brings
 * the pages back. https://www.sqlite.org/fileformat.html
 */
import { type FileHandle, open } from 'node:fs/promises';

const HEADER_BYTES = 100;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAMES_AT_ONCE = 64;
/** SQLite never writes the page that holds this byte. */
const LOCK_BYTE = 0x4000_0000;

interface Size {
  pageBytes: number;
  pages: number;
}

/** Undefined where the header has no size. */
function sizeIn(header: Buffer): Size | undefined {
  if (header.readUInt32BE(24) !== header.readUInt32BE(92)) return undefined;
  const pageBytes = header.readUInt16BE(16);
  return { pageBytes: pageBytes === 1 ? 65_536 : pageBytes, pages: header.readUInt32BE(28) };
}

/** True: pages are missing in the file at `path` and in its write-ahead log. */
export async function isShort(file: FileHandle, path: string): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  const whole = sizeIn(buffer);
  if (!whole) return false;
  const bytes = async (): Promise<number> => (await file.stat()).size;
  const before = await bytes();
  if (before >= whole.pages * whole.pageBytes) return false;
  const missing = missingPages(before, whole);
  for await (const page of loggedPages(`${path}-wal`, whole.pageBytes)) missing.delete(page);
  // A checkpoint that ended meanwhile has filled the file, and the log may begin anew.
  return missing.size > 0 && (await bytes()) === before;
}

function missingPages(bytes: number, { pageBytes, pages }: Size): Set<number> {
  const missing = new Set<number>();
  for (let page = Math.floor(bytes / pageBytes) + 1; page <= pages; page += 1) missing.add(page);
  missing.delete(LOCK_BYTE / pageBytes + 1);
  return missing;
}

/** Page numbers of the log's current frames. Older frames behind them have another salt. */
async function* loggedPages(path: string, pageBytes: number): AsyncGenerator<number> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return;
  try {
    const head = await file.read(Buffer.alloc(LOG_HEADER_BYTES), 0, LOG_HEADER_BYTES, 0);
    if (head.bytesRead < LOG_HEADER_BYTES || head.buffer.readUInt32BE(8) !== pageBytes) return;
    const salt = head.buffer.subarray(16, 24);
    const frame = FRAME_HEADER_BYTES + pageBytes;
    const buffer = Buffer.alloc(frame * FRAMES_AT_ONCE);
    for (let at = LOG_HEADER_BYTES; ; at += buffer.length) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      for (let from = 0; from + frame <= bytesRead; from += frame) {
        if (!buffer.subarray(from + 8, from + 16).equals(salt)) return;
        yield buffer.readUInt32BE(from);
      }
      if (bytesRead < buffer.length) return;
    }
  } finally {
    await file.close();
  }
}
