/**
 * The newest run that had an idea: the last one, or an older one when the idea has left the backlog since. Commands and
 * views of a closed project ask here, so that all mean the same run.
 * Invariant: reads only.
 */
import type { RunRef } from '../../protocol/run-ref.js';
import { begunRuns } from '../../run-files/begun.js';
import { knownIdeas, listRuns } from '../../run-files/run.js';
import { warnOnce } from '../report/summaries.js';
import { type Recorded, recordedRun } from '../views/recorded.js';

/** Also a run whose events cannot be read: its files tell where its work is. */
export async function newestWith(root: string, project: string, idea: string): Promise<RunRef | undefined> {
  for (const runId of await listRuns(root, project)) {
    const ref = { project, runId };
    if (await has(root, ref, idea)) return ref;
  }
  return undefined;
}

/** `last`: the run that was read already. Undefined: no run that can be read had the idea. */
export async function recordedWith(
  root: string,
  project: string,
  idea: string,
  last: Recorded | undefined,
): Promise<Recorded | undefined> {
  if (last?.graph.entry(idea)) return last;
  for await (const runId of begunRuns(root, project, warnOnce)) {
    if (runId === last?.run.file.runId || !(await has(root, { project, runId }, idea))) continue;
    const found = await recordedRun(root, project, runId);
    if (found?.graph.entry(idea)) return found;
  }
  return undefined;
}

const has = (root: string, ref: RunRef, idea: string): Promise<boolean> =>
  knownIdeas(root, ref).then(
    (ids) => ids.has(idea),
    () => false,
  );
