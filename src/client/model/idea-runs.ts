/** One idea through the runs of its project, from their events. Invariant: reads only. */
import { readdir } from 'node:fs/promises';
import { ideaDir } from '../../config/paths.js';
import { ideaBranch, readTip } from '../../git/refs.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { ShownRun } from '../../report/show.js';
import { readIdea } from '../../run-files/read-model.js';
import { tellLeftOut } from '../../run-files/readable.js';
import { listRuns } from '../../run-files/run.js';

/** The newest runs, whose events are read in any case. Of older ones only those in which an agent worked on the idea. */
const READ_ANYWAY = 20;

/** The runs that tell of the idea, newest first. `warn` gets a sentence for each whose events cannot be read or are lost. */
export async function ideaInRuns(
  root: string,
  project: string,
  id: string,
  warn: (problem: string) => void = () => {},
): Promise<ShownRun[]> {
  const found: ShownRun[] = [];
  for (const [place, runId] of (await listRuns(root, project)).entries()) {
    if (place >= READ_ANYWAY && !(await hasWork(root, { project, runId }, id))) continue;
    const ref = { project, runId };
    const told = await readIdea(root, ref, id).catch(async (error: unknown) => {
      await tellLeftOut(root, ref, error, warn);
      return undefined;
    });
    if (told?.problem !== undefined) warn(told.problem);
    if (told) found.push({ runId, startedAt: told.at, idea: told.idea });
  }
  return found;
}

/** The newest run before this one that landed the idea. The name of a run begins with its time. */
export const landedEarlier = (runs: readonly ShownRun[], runId: string): ShownRun | undefined =>
  runs.find((one) => one.runId < runId && (one.idea.atEnd ?? one.idea).status === 'landed');

/** Each agent run has a folder of its own, so that this needs no events. */
async function hasWork(root: string, { project, runId }: RunRef, id: string): Promise<boolean> {
  const names = await readdir(ideaDir(root, project, runId, id)).catch(() => []);
  return names.some((name) => /^\d+$/.test(name));
}

/** The newest of these runs, newest first, in which an agent worked on the idea; undefined: none. */
export async function workedOn(
  root: string,
  project: string,
  id: string,
  runs: readonly string[],
): Promise<string | undefined> {
  for (const runId of runs) {
    if (await hasWork(root, { project, runId }, id)) return runId;
  }
  return undefined;
}

/** No agent of any run worked on the idea, and it has no branch that a run or a person made. */
export async function isUntouched(
  root: string,
  project: string,
  id: string,
  repo: string | undefined,
): Promise<boolean> {
  if ((await workedOn(root, project, id, await listRuns(root, project))) !== undefined) return false;
  if (repo === undefined) return true;
  return readTip(repo, `refs/heads/${ideaBranch(id)}`).then(
    (tip) => tip === undefined,
    () => false,
  );
}
