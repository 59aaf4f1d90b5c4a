/**
 * Keeps a copy of the patterns of a sparse checkout that were replaced while an agent ran, for the command that undoes
 * the change. `clean` removes it with the other copies of the wall.
 * Invariant: changes nothing of the repository.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outside } from './outside.js';

/** Path of the copy, equal for equal patterns. Undefined where nothing changed, or no copy can be written. */
export async function keepPatterns(
  wall: string | undefined,
  { sparse: was }: Outside,
  { sparse: is }: Outside,
): Promise<string | undefined> {
  if (wall === undefined || was === undefined || was === '' || is === undefined || was === is) return undefined;
  const folder = join(wall, 'kept');
  const path = join(folder, `sparse-checkout-${createHash('sha256').update(was).digest('hex').slice(0, 8)}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, was, { mode: 0o600 });
    return path;
  } catch {
    // The change is told also without.
    return undefined;
  }
}
