/** Results of gates that ralphctl can get again by running the gate. They go with the gate logs, a file at a time. */
import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileIsOld } from '../../decide/retention/what-goes.js';
import type { Cleaning } from './clean.js';
import { onDisk } from './own.js';

export async function cleanOld(cleaning: Cleaning, folders: readonly string[]): Promise<void> {
  const { rules, now, out, dryRun } = cleaning;
  for (const folder of folders) {
    if (!(await out.mayClean(folder))) continue;
    let bytes = 0;
    await out.trying(folder, async () => {
      for (const one of await readdir(folder, { withFileTypes: true })) {
        if (cleaning.stop()) return;
        const path = join(folder, one.name);
        const about = one.isFile() ? await lstat(path).catch(() => undefined) : undefined;
        if (!about || !fileIsOld(about.mtimeMs, rules, now.getTime())) continue;
        if (!dryRun) await unlink(path);
        bytes += onDisk(about);
      }
    });
    if (bytes > 0) cleaning.done({ what: 'gates', name: folder, bytes, why: 'ralphctl can run the gate again' });
  }
}
