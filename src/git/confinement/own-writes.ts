/**
 * Files of the user's checkout that ralphctl itself wrote, such as those that a sync merged, so that the watch during an
 * agent run does not take them for changes of a person or an agent.
 * Invariant: a file counts only as long as nothing has touched it since, and only from what it was before: an edit of
 * somebody else before or after is still a change. Does nothing without a known run.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { exclusive } from '../locks.js';
import { wallAt } from './wall.js';
import { readJson, writeJson } from './wall-sections.js';

/** Change times, epoch ms; 0: there was no file. */
interface Write {
  path: string;
  /** Before ralphctl wrote it, once or several times in a row. */
  from: number;
  to: number;
}

const FILE = 'own-writes.json';
const MOST = 500;

const changeTime = (path: string): Promise<number> =>
  lstat(path).then(
    ({ ctimeMs }) => ctimeMs,
    () => 0,
  );

/**
 * Call before ralphctl writes files (absolute), and the returned function right after.
 * @param dir in the repository
 * @returns `others`: the files that do not hold what ralphctl wrote, because somebody has written since
 */
export async function ownWrites(
  dir: string,
  files: readonly string[],
): Promise<(others?: () => Promise<ReadonlySet<string>>) => Promise<void>> {
  const wall = wallAt(dir);
  if (!wall) return async () => undefined;
  const before = new Map(await Promise.all(files.map(async (path) => [path, await changeTime(path)] as const)));
  return (others = async () => new Set<string>()) =>
    exclusive(join(wall.dir, FILE), async () => {
      const known = await read(wall.dir);
      const after = new Map(await Promise.all(files.map(async (path) => [path, await changeTime(path)] as const)));
      // After the times: a later write has another time.
      const changed = await others();
      for (const [path, time] of before) {
        const to = after.get(path) ?? 0;
        if (to === time || to === 0 || changed.has(path)) continue;
        const last = known.get(path);
        known.delete(path);
        known.set(path, { path, from: last?.to === time ? last.from : time, to });
      }
      await writeJson(join(wall.dir, FILE), [...known.values()].slice(-MOST));
    });
}

/** Whether ralphctl made every change of a file since then. By absolute path and its present change time. */
export async function readOwnWrites(root: string): Promise<(path: string, at: number, since: number) => boolean> {
  const wall = wallAt(root);
  const known = wall ? await read(wall.dir) : new Map<string, Write>();
  return (path, at, since) => {
    const one = known.get(path);
    return one !== undefined && one.to === at && one.from < since;
  };
}

async function read(dir: string): Promise<Map<string, Write>> {
  const all = (await readJson<Write[]>(join(dir, FILE))) ?? [];
  return new Map(all.map((one) => [one.path, one]));
}
