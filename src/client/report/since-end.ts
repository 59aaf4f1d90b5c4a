/** The summary of an ended run as of now, with what people did to its ideas since. Invariant: reads only. */
import type { SummaryFile } from '../../model/facts.js';
import { notYetLanded, sinceEnd } from '../../model/since-end.js';
import type { StartAgain } from '../../model/start-again.js';
import { readModel } from '../../run-files/read-model.js';
import { takeForNext } from '../model/for-next.js';

export interface SinceEnd {
  last: SummaryFile;
  /** Ideas that no start runs before a retry: abandoned, rolled back or left out by a person. */
  out: ReadonlySet<string>;
  held: ReadonlySet<string>;
  start?: StartAgain | undefined;
}

export async function lastAsOfNow(
  root: string,
  project: string,
  last: SummaryFile,
  givenUp: ReadonlySet<string>,
): Promise<SinceEnd> {
  const { runId } = last.status;
  const found = await readModel(root, { project, runId }).catch(() => undefined);
  if (!found) return { last, out: givenUp, held: new Set() };
  const { model } = found;
  notYetLanded(model, last);
  await takeForNext(root, model);
  const ideas = [...model.ideas.values()];
  return {
    last: sinceEnd(last, model),
    start: model.startAgain,
    out: new Set([...givenUp, ...ideas.flatMap(({ id, forNext }) => (forNext?.leftOut ? [id] : []))]),
    held: new Set(ideas.flatMap(({ id, held }) => (held ? [id] : []))),
  };
}
