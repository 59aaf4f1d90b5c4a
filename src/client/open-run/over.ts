/** Whether the run of a project is over, for whoever watches its worker. Invariant: reads only, and never throws. */
import { lastBegun } from '../../run-files/begun.js';
import type { RunFacts } from '../api/facts.js';

/** The server knows of a run that has just begun; without its answer the files of the newest run tell. */
export async function isOver(
  facts: () => Promise<Pick<RunFacts, 'open'> | undefined>,
  root: string,
  project: string,
): Promise<boolean> {
  const told = await Promise.resolve()
    .then(facts)
    .catch(() => undefined);
  if (told) return !told.open;
  const last = await lastBegun(root, project).catch(() => undefined);
  return last?.over === true;
}
