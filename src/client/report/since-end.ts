/** The last run as it ended, and how its ideas stand now. Invariant: reads only. */
import { endedAs, isDecided } from '../../model/at-end.js';
import { type IdeaFacts, type SummaryFile, withSize } from '../../model/facts.js';
import { waitForLeftOut } from '../../model/left-out.js';
import type { RunModel } from '../../model/model.js';
import type { StartAgain } from '../../model/start-again.js';
import { type KeptFor, leftOutOf } from '../../run-files/kept.js';
import { readModel } from '../../run-files/read-model.js';
import type { RunFile } from '../../run-files/shapes.js';
import { takeNow } from '../model/take-target.js';
import type { GoneIdea } from './gone.js';
import { branchSizes } from './places.js';
import { warnOnce } from './summaries.js';

export interface SinceEnd {
  last: SummaryFile;
  /** Ideas that have not landed now, and that the backlog still has. */
  open: { idea: string }[];
  /** Ideas that no start runs before a retry: abandoned, rolled back or left out by a person. */
  out: ReadonlySet<string>;
  /** Ideas that wait for one of these: no start runs them before, either. */
  waiting?: ReadonlySet<string>;
  held: ReadonlySet<string>;
  start?: StartAgain | undefined;
  /** Of what has left the target, the ideas about which nobody has decided since. */
  gone: GoneIdea[];
  /** Questions that the stop of the run left open, whole. */
  asks?: { idea: string; question: string; approval?: true }[];
  /** Absent without files of the run. */
  model?: RunModel;
  /** What its summary tells of its ideas, with the size that their branches have now. */
  told: ReadonlyMap<string, IdeaFacts>;
}

export async function lastAsOfNow(
  root: string,
  project: string,
  last: SummaryFile,
  kept: readonly KeptFor[],
): Promise<SinceEnd> {
  const { runId } = last.status;
  const found = await readModel(root, { project, runId }).catch(() => undefined);
  const out = (open: readonly { idea: string }[]) =>
    new Set(
      leftOutOf(
        kept,
        open.map(({ idea }) => idea),
      ),
    );
  if (!found)
    return {
      last,
      open: last.notLanded,
      out: out(last.notLanded),
      held: new Set(),
      gone: [],
      told: await toldOf(last),
    };
  const { model, run, problems } = found;
  for (const problem of problems) warnOnce(problem);
  endedAs(model, last);
  await takeNow(root, model, run.file);
  const ideas = [...model.ideas.values()].filter(({ group }) => !group);
  const gone = goneNow(model);
  const told = new Set(gone.map(({ idea }) => idea));
  const open = ideas.flatMap(({ id, status, lineGone }) =>
    status === 'landed' || lineGone || told.has(id) ? [] : [{ idea: id }],
  );
  const asks = ideas.flatMap(({ id, left }) =>
    left ? [{ idea: id, question: left.question, ...(left.approval ? { approval: true as const } : {}) }] : [],
  );
  return {
    last,
    told: await toldOf(last, run.file),
    ...(asks.length > 0 ? { asks } : {}),
    model,
    open,
    start: model.startAgain,
    out: out(open),
    waiting: new Set([...waitForLeftOut([...model.ideas.values()]).values()].flatMap((those) => [...those])),
    held: new Set(ideas.flatMap(({ id, held }) => (held ? [id] : []))),
    gone,
  };
}

/** Only what did not land has a branch. */
async function toldOf({ ideas = [] }: SummaryFile, file?: RunFile): Promise<ReadonlyMap<string, IdeaFacts>> {
  const isOpen = ideas.some(({ status, runs }) => status !== 'landed' && runs.length > 0);
  const size = file && isOpen ? await branchSizes(file.repo, file.target) : undefined;
  return new Map(ideas.map((one) => [one.idea, withSize(one, size)]));
}

/** Of what has left the target since the run, the ideas about which nobody has decided. */
export const goneNow = ({ ideas }: RunModel): GoneIdea[] =>
  [...ideas.values()].flatMap(({ id, off, forNext, lineGone }) =>
    off && !lineGone && !isDecided(forNext) ? [{ idea: id, ...off }] : [],
  );
