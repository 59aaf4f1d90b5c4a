/**
 * Numbered files of a folder (`1.json`, `2.json`): the next number belongs to one writer.
 * Invariant: a numbered file is never written twice, and has its whole text from the moment that it exists: a reader or
 * another writer may look at any time.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const numbered = (folder: string, number: number): string => join(folder, `${number}.json`);

/** The highest number; 0 before the first. */
export async function highestNumber(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  return Math.max(0, ...names.map((name) => Number(name.replace(/\.json$/, ''))).filter(Number.isInteger));
}

/** Writes what `next` makes of the highest number. Asks again when another writer was first. Returns its own number. */
export async function writeNumbered(folder: string, next: (highest: number) => Promise<string>): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const highest = await highestNumber(folder);
    const text = await next(highest);
    if (await createWhole(numbered(folder, highest + 1), text)) return highest + 1;
  }
}

/** False when the file exists. A link, because a file that is created and then filled is empty for a moment. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${process.pid}-${randomUUID().slice(0, 8)}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
