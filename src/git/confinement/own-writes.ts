/**
 * Files of the user's checkout that ralphctl itself wrote, such as those that a sync merged, so that the watch during an
 * agent run does not take them for changes of a person or an agent.
 * Invariant: a file counts only as long as nothing has touched it since, and only from what it was before: an edit of
 * somebody else before or after is still a change. Does nothing without a known run.
 */
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exclusive } from '../locks.js';
import { orNone } from '../regular.js';
import { type Wall, wallAt } from './wall.js';
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
    (error: unknown) => orNone(error) ?? 0,
  );

type Others = () => Promise<ReadonlySet<string>>;

const begunFile = (wall: Pick<Wall, 'dir'>, name: string): string => join(wall.dir, `own-writes-${name}.json`);

/**
 * Call before ralphctl writes files (absolute), and the returned function right after.
 * @param dir in the repository
 * @param name under which a kill leaves what was begun, for {@link endOwnWrites}
 * @returns `others`: the files that do not hold what ralphctl wrote, because somebody has written since
 */
export async function ownWrites(
  dir: string,
  files: readonly string[],
  name?: string,
): Promise<(others?: Others) => Promise<void>> {
  const wall = wallAt(dir);
  if (!wall) return async () => undefined;
  const before = await timesOf(files);
  if (name !== undefined) await writeJson(begunFile(wall, name), [...before]);
  return async (others = async () => new Set<string>()) => {
    await note(wall, before, others);
    if (name !== undefined) await rm(begunFile(wall, name), { force: true });
  };
}

/** Notes what a write that was broken off had written. `others`: as above. */
export async function endOwnWrites(dir: string, name: string, others: Others): Promise<void> {
  const wall = wallAt(dir);
  const before = wall && (await readJson<Array<[string, number]>>(begunFile(wall, name)));
  if (!before) return;
  await note(wall, new Map(before), others);
  await rm(begunFile(wall, name), { force: true });
}

/** `before`: change times by file. */
function note(wall: Pick<Wall, 'dir'>, before: ReadonlyMap<string, number>, others: Others): Promise<void> {
  return exclusive(join(wall.dir, FILE), async () => {
    const known = await read(wall.dir);
    const after = await timesOf([...before.keys()]);
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

const timesOf = async (files: readonly string[]): Promise<Map<string, number>> =>
  new Map(await Promise.all(files.map(async (path) => [path, await changeTime(path)] as const)));

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
