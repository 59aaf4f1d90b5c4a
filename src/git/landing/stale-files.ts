/**
 * The files of a checkout that a landing left behind and whose index a person has brought along: after `git reset`,
 * `git restore --staged`, or a stash that came back. A commit of them would take the landed work off.
 * Invariant: reads the checkout, never writes to it.
 */
import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { git } from '../runner.js';
import { editedFiles, movedPaths } from './checkout.js';

/** Whether a path still has its old version, in the index or as a file. `besides`: paths that do not count. */
export async function hasOldPaths(
  checkout: string,
  base: string,
  tip: string,
  besides: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const { moved, old, level } = await movedPaths(checkout, base, tip, besides);
  if (moved.length === 0) return false;
  if (old.length > 0 || level.length === 0) return true;
  const [offBase, offTip] = [await editedFiles(checkout, base), await editedFiles(checkout, tip)];
  if (level.some((path) => !offBase.has(path))) return true;
  const both = level.filter((path) => offTip.has(path));
  return both.length > 0 && someLacks(checkout, { base, tip }, both.slice(0, MOST_FILES));
}

const MOST_FILES = 50;
const MOST_BYTES = 1024 * 1024;

/** Whether an edited file lacks what landed: to merge it would change the file. What conflicts proves nothing. */
async function someLacks(
  checkout: string,
  { base, tip }: { base: string; tip: string },
  paths: readonly string[],
): Promise<boolean> {
  const scratch = await makeTemporary('stale');
  try {
    for (const path of paths) {
      const file = join(checkout, path);
      const info = await lstat(file).catch(() => undefined);
      if (!info?.isFile() || info.size > MOST_BYTES) continue;
      const [old, landed] = [await contentOf(checkout, base, path), await contentOf(checkout, tip, path)];
      if (!old || !landed) continue;
      const sides = { mine: await readFile(file), old, landed };
      const names = await Promise.all(
        Object.entries(sides).map(async ([name, content]) => {
          await writeFile(join(scratch, name), content);
          return join(scratch, name);
        }),
      );
      const merged = await git(checkout).result(['merge-file', '-p', ...names], { ok: ANY, read: true });
      if (merged.code === 0 && merged.stdout !== sides.mine.toString('utf8')) return true;
    }
    return false;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The number of conflicts, up to 127; 255 where a file is binary. */
const ANY = [...Array(256).keys()];

async function contentOf(checkout: string, commit: string, path: string): Promise<string | undefined> {
  const args = ['cat-file', 'blob', `${commit}:${path}`];
  const got = await git(checkout).result(args, { ok: [0, 128], read: true });
  return got.code === 0 ? got.stdout : undefined;
}
