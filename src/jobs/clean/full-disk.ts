/**
 * A cleaning of a disk that has no room for its lock.
 * Invariant: without the lock only single files go that ralphctl makes again, and leftovers of cleanings that have ended.
 * Nobody else holds the lock then, because a cleaning that waits for it needs no room.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanLockDir, keptDir, runDir, sizesPath } from '../../config/paths.js';
import { isFull } from '../../config/system-errors.js';
import { bytesText } from '../../decide/retention/words.js';
import { shellQuoted } from '../../protocol/shell-words.js';
import { runsOver } from '../../run-files/begun.js';
import type { Cleaning } from './clean.js';
import { sizeOf, troubleOf } from './own.js';
import { runFacts } from './runs.js';

/** How many of the largest parts it names. */
const NAMED = 3;

/** `first`: what needs no lock; `locked`: all of it, under the lock. */
export async function onFullDisk(
  cleaning: Cleaning,
  error: unknown,
  { first, locked }: { first: () => Promise<void>; locked: () => Promise<void> },
): Promise<void> {
  if (!isFull(error) || cleaning.byItself) throw error;
  const { root, project, out } = cleaning;
  // The command measures again at its end.
  await rm(sizesPath(root), { force: true });
  await first();
  await locked().catch(async (again: unknown) => {
    if (!isFull(again)) throw again;
    out.told.push(
      `the disk is full: there is no room for the lock ${cleanLockDir(root, project)}, so only what needs none was cleaned. Free some space, then: ralphctl clean`,
      ...(await largest(cleaning)),
    );
  });
}

/** Of old runs that are over, and caches: a person may delete them. */
async function largest({ root, project, rules, now, stop }: Cleaning): Promise<string[]> {
  const runs: { runId: string }[] = [];
  for (const { runId, over } of await runsOver(root, project)) {
    const { at } = await runFacts(root, { project, runId }, over);
    if (over && now.getTime() - at >= rules.keepDays * 86_400_000) runs.push({ runId });
  }
  const places = [...runs.map(({ runId }) => join(runDir(root, project, runId), 'ideas')), keptDir(root, project)];
  const found: { path: string; bytes: number }[] = [];
  for (const path of places)
    if ((await troubleOf(path)) === undefined) found.push({ path, bytes: await sizeOf(path, stop) });
  return found
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, NAMED)
    .map(({ path, bytes }) => `${path} has ${bytesText(bytes)}. If you need nothing of it: rm -r ${shellQuoted(path)}`);
}
