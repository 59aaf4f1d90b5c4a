/**
 * Puts into a model what people told its ideas after the run: the next start carries it out.
 * Invariant: reads only. Belongs to the newest run of a project, once it is over.
 */
import { count } from '../../model/counts.js';
import type { RunModel } from '../../model/model.js';
import { askedFor, keptForNext, keptWords } from '../../run-files/kept.js';

/** Replaces what the model had; true when something changed. */
export async function takeForNext(root: string, model: RunModel): Promise<boolean> {
  const kept = new Map(
    (await keptForNext(root, model.project).catch(() => [])).map((one) => [
      one.idea,
      { ...askedFor(one), words: keptWords(one) },
    ]),
  );
  let changed = false;
  for (const idea of model.ideas.values()) {
    const found = kept.get(idea.id);
    const next = found && found.words.length > 0 ? found : undefined;
    if (JSON.stringify(next) === JSON.stringify(idea.forNext)) continue;
    changed = true;
    count(model.counts, idea, -1);
    if (next) idea.forNext = next;
    else delete idea.forNext;
    count(model.counts, idea, 1);
  }
  return changed;
}
