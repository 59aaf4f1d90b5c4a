/**
 * Results of gates that ralphctl can get again by running the gate, with the output of those on bases. They go with the
 * gate logs, a file at a time.
 */
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileIsOld } from '../../decide/retention/what-goes.js';
import type { Cleaning } from './clean.js';
import { onDisk } from './own.js';

export async function cleanOld(cleaning: Cleaning, folders: readonly string[]): Promise<void> {
  const { out, done } = cleaning;
  for (const folder of folders) {
    if (!(await out.mayClean(folder))) continue;
    const gone = { bytes: 0 };
    await out.trying(folder, () => cleanFolder(cleaning, folder, gone));
    if (gone.bytes > 0)
      done({ what: 'gates', name: folder, bytes: gone.bytes, why: 'ralphctl can run the gate again' });
  }
}

async function cleanFolder(cleaning: Cleaning, folder: string, gone: { bytes: number }): Promise<void> {
  const { rules, now, dryRun } = cleaning;
  for (const one of await readdir(folder, { withFileTypes: true })) {
    if (cleaning.stop()) return;
    const path = join(folder, one.name);
    if (one.isDirectory()) {
      const before = gone.bytes;
      await cleanFolder(cleaning, path, gone);
      // One that a gate has made just now is empty, too.
      if (!dryRun && gone.bytes > before) await rmdir(path).catch(() => undefined);
    }
    const about = one.isFile() ? await lstat(path).catch(() => undefined) : undefined;
    if (!about || !fileIsOld(about.mtimeMs, rules, now.getTime())) continue;
    if (!dryRun) await unlink(path);
    gone.bytes += onDisk(about);
  }
}
