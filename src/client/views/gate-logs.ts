import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openOwn } from '../../config/own-files.js';
import { safeLines, writeAll } from '../output.js';

/** Logs of the gate of an agent run, or of the rollback of an idea (`undo`), in the order in which its commands ran. */
export async function gateLogs(dir: string, folder: 'gate' | 'undo' = 'gate'): Promise<string[]> {
  const names = await readdir(join(dir, folder)).catch(() => []);
  const order = (name: string): [number, number] => [
    Number(/\d+/.exec(name)?.[0] ?? Number.MAX_SAFE_INTEGER),
    name.includes('again') ? 1 : 0,
  ];
  return names
    .filter((name) => name.endsWith('.log'))
    .sort((a, b) => order(a)[0] - order(b)[0] || order(a)[1] - order(b)[1] || a.localeCompare(b))
    .map((name) => join(dir, folder, name));
}

/** The lines of a file that what an agent wrote has printed to: they cannot steer a terminal. */
export async function copyLines(path: string): Promise<void> {
  const file = await openOwn(path);
  if (!file) return;
  try {
    const input = file.createReadStream({ autoClose: false });
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
      await writeAll(process.stdout, `${safeLines(line)}\n`);
  } finally {
    await file.close();
  }
}
