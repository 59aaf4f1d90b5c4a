/**
 * Removes folders that a program has filled as it liked: closed ones, and chains longer than the system takes as a path.
 * Invariant: follows no link. No program works in them any more.
 */
import { randomUUID } from 'node:crypto';
import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Half of what systems take. */
const LONGEST_PATH = 2000;

/** Never rejects; false: something is left. */
export async function removeTree(path: string): Promise<boolean> {
  const gone = await removed(path);
  if (gone) return true;
  await flatten(path).catch(() => undefined);
  return removed(path);
}

const removed = (path: string): Promise<boolean> =>
  rm(path, { recursive: true, force: true }).then(
    () => true,
    () => false,
  );

/** Opens every folder, and moves those that lie too deep to the top. */
async function flatten(top: string): Promise<void> {
  const waiting = [top];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      if (path.length < LONGEST_PATH) {
        waiting.push(path);
        continue;
      }
      const moved = join(top, randomUUID());
      await chmod(path, 0o700);
      await rename(path, moved);
      waiting.push(moved);
    }
  }
}
