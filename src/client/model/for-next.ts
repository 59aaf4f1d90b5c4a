/**
 * Puts into a model what people told its ideas after the run: the next start carries it out.
 * Invariant: reads only. Belongs to the newest run of a project, once it is over.
 */
import { count } from '../../model/counts.js';
import type { RunModel } from '../../model/model.js';
import { askedFor, type KeptFor, keptForNext, keptWords } from '../../run-files/kept.js';
import { loadRun } from '../../run-files/run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { nextBacklog } from '../plan/next-backlog.js';
import { carriedText, waitingLine } from '../views/left-out.js';
import type { Next } from './next-order.js';
import { takeLines } from './take-lines.js';

/** Replaces what the model had; true when something changed. `file`: of the run, whose source the next start reads. */
export async function takeForNext(root: string, model: RunModel, file?: RunFile): Promise<boolean> {
  const kept = new Map(
    (await keptForNext(root, model.project).catch(() => [])).map((one) => [
      one.idea,
      { ...askedFor(one), words: keptWords(one), gone: one.abandoned },
    ]),
  );
  let changed = file !== undefined && (await takeLines(root, model, file));
  for (const idea of model.ideas.values()) {
    const found = kept.get(idea.id);
    const { gone, ...told } = found ?? { words: [] };
    // The run's own events tell of an idea that was given up while it was open.
    const leftOut = gone && idea.status !== 'abandoned' ? { leftOut: true as const, givenUp: true as const } : {};
    const next = told.words.length > 0 || leftOut.leftOut ? { ...told, ...leftOut } : undefined;
    if (JSON.stringify(next) === JSON.stringify(idea.forNext)) continue;
    changed = true;
    count(model.counts, idea, -1);
    if (next) idea.forNext = next;
    else delete idea.forNext;
    count(model.counts, idea, 1);
  }
  const now = file && (await nextBacklog(root, file));
  const isSame = now?.config === readFor.get(model);
  if (changed || !model.nextOrder || !isSame) {
    const { nextOrder } = await import('./next-order.js');
    const { order, ideas } = await nextOrder(root, model, now).catch((): Next => ({ order: [] }));
    const before = JSON.stringify([model.nextOrder ?? [], [...(model.nextIdeas ?? [])]]);
    changed ||= before !== JSON.stringify([order, [...(ideas ?? [])]]);
    model.nextOrder = order;
    if (ideas) model.nextIdeas = ideas;
    else delete model.nextIdeas;
    readFor.set(model, now?.config);
  }
  return changed;
}

/** From which reading of the backlog and the configuration the order of a model is: each reading is an object of its own. */
const readFor = new WeakMap<RunModel, unknown>();

/** Commands of people since the last run. */
export async function nextStartLines(root: string, project: string, model?: RunModel): Promise<string[]> {
  // What somebody brought back needs no more work.
  const isOpen = ({ idea }: KeptFor): boolean => model?.ideas.get(idea)?.status !== 'landed';
  const kept = (await keptForNext(root, project)).filter(isOpen);
  const file = model && (await loadRun(root, model).catch(() => undefined))?.file;
  const next = file && (await nextBacklog(root, file));
  return [
    ...carriedText(
      kept.filter(({ idea }) => !next || next.ids.has(idea)),
      'the next start ',
    ),
    ...(next ? waitingLine(kept, next) : []),
  ];
}
