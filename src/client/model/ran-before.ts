/** Which ideas had run or landed before a run began. Invariant: reads only, and fails nothing. */
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ideaDir } from '../../config/paths.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { emptyModel } from '../../run-files/read-model.js';
import { listRuns } from '../../run-files/run.js';

/** Undefined where nobody knows, because this host has no files of the run. */
export async function ranBefore(root: string, ref: RunRef): Promise<ReadonlySet<string> | undefined> {
  const found = await emptyModel(root, ref).catch(() => undefined);
  if (!found) return undefined;
  const { model, run } = found;
  const landed = [...model.ideas.values()].flatMap(({ id, landedBefore }) => (landedBefore ? [id] : []));
  const runs = await listRuns(root, ref.project).catch(() => []);
  // The name of a run begins with its time. Each idea that ran has a folder there.
  const older = runs.filter((runId) => runId < ref.runId);
  const worked = await Promise.all(
    older.map((runId) => readdir(dirname(ideaDir(root, ref.project, runId, 'any'))).catch(() => [])),
  );
  return new Set([...landed, ...(run.file.again ?? []), ...worked.flat()]);
}
