/** The last run as it ended, and how its ideas stand now. Invariant: reads only. */
import { endedAs } from '../../model/at-end.js';
import type { SummaryFile } from '../../model/facts.js';
import type { RunModel } from '../../model/model.js';
import type { StartAgain } from '../../model/start-again.js';
import { readModel } from '../../run-files/read-model.js';
import { takeNow } from '../model/take-target.js';
import type { GoneIdea } from './gone.js';

export interface SinceEnd {
  last: SummaryFile;
  /** Ideas that have not landed now. */
  open: { idea: string }[];
  /** Ideas that no start runs before a retry: abandoned, rolled back or left out by a person. */
  out: ReadonlySet<string>;
  held: ReadonlySet<string>;
  start?: StartAgain | undefined;
  /** Of what has left the target, the ideas about which nobody has decided since. */
  gone: GoneIdea[];
  /** Absent without files of the run. */
  model?: RunModel;
}

export async function lastAsOfNow(
  root: string,
  project: string,
  last: SummaryFile,
  givenUp: ReadonlySet<string>,
): Promise<SinceEnd> {
  const { runId } = last.status;
  const found = await readModel(root, { project, runId }).catch(() => undefined);
  if (!found) return { last, open: last.notLanded, out: givenUp, held: new Set(), gone: [] };
  const { model, run } = found;
  endedAs(model, last);
  await takeNow(root, model, run.file);
  const ideas = [...model.ideas.values()].filter(({ group }) => !group);
  const left = ideas.flatMap(({ id, forNext, status }) =>
    status !== 'landed' && (forNext?.leftOut || status === 'abandoned') ? [id] : [],
  );
  const gone = ideas.flatMap(({ id, off, forNext }) => (off && !isDecided(forNext) ? [{ idea: id, ...off }] : []));
  const told = new Set(gone.map(({ idea }) => idea));
  return {
    last,
    model,
    open: ideas.flatMap(({ id, status }) => (status === 'landed' || told.has(id) ? [] : [{ idea: id }])),
    start: model.startAgain,
    out: new Set([...givenUp, ...left]),
    held: new Set(ideas.flatMap(({ id, held }) => (held ? [id] : []))),
    gone,
  };
}

/** Whether a person has said since what the next start does with it. */
const isDecided = (forNext: { queued?: true; leftOut?: true } | undefined): boolean =>
  forNext?.queued === true || forNext?.leftOut === true;
