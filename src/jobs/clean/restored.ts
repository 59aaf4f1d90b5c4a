/** Copies of what agents had changed in the git directory and the wall restored (`git/confinement/wall.ts`): for people. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { wallDir } from '../../config/paths.js';
import { type CopyFacts, copiesThatGo } from '../../decide/retention/what-goes.js';
import type { Cleaning } from './clean.js';
import { deleteAway, sizeOf, sweep, takeAway } from './own.js';

export async function cleanRestored(cleaning: Cleaning): Promise<void> {
  const { root, project, rules, now, out, dryRun } = cleaning;
  const wall = wallDir(root, project);
  const folder = join(wall, 'kept');
  if (!(await out.mayClean(wall)) || !(await out.mayClean(folder))) return;
  if (!dryRun) cleaning.sweptAway(await sweep(folder), folder);
  const copies: CopyFacts[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Of a folder that was moved here, an agent may have set the other time.
    const at = (await lstat(path)).ctimeMs;
    copies.push({ path, at, bytes: await sizeOf(path, cleaning.stop) });
  }
  for (const { path, bytes, why } of copiesThatGo(copies, rules, now.getTime())) {
    if (cleaning.stop()) return;
    await out.trying(path, async () => {
      if (!dryRun) await deleteAway(await takeAway(path));
      cleaning.done({ what: 'restored', name: path, bytes, why });
    });
  }
}
