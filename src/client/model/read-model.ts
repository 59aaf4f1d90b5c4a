/**
 * The model of a run from its files, for views without server and worker.
 * Invariant: reads only. A run without files, or with files of an older version, is no error.
 */
import { basename } from 'node:path';
import { landedIdeas } from '../../git/landing/landed.js';
import { addIdeas, newModel } from '../../model/fold.js';
import type { RunModel } from '../../model/model.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { knownIdeas, type LoadedRun, loadIdea, loadRun } from '../../run-files/run.js';
import { needNoWork } from '../../run-files/ticks.js';

export interface ModelOfRun {
  model: RunModel;
  run: LoadedRun;
}

/** A model without events; the caller folds them in. Undefined when this host has no files of the run. */
export async function emptyModel(root: string, ref: RunRef): Promise<ModelOfRun | undefined> {
  const run = await loadRun(root, ref).catch(() => undefined);
  if (!run) return undefined;
  const { file } = run;
  const ideas = [...run.ideas.values()];
  const onTarget = new Set(await landedIdeas(file.repo, file.target).catch(() => []));
  const head = {
    ...{ project: ref.project, runId: ref.runId, name: basename(file.repo), target: file.target },
    ...{ startedAt: Date.parse(file.createdAt), slots: file.config.slots },
  };
  return { model: newModel(head, ideas, new Set(needNoWork(ideas, onTarget, file.again))), run };
}

/** Adds the ideas that a person added while the run was open. */
export async function takeAdded(root: string, ref: RunRef, model: RunModel): Promise<void> {
  const known = await knownIdeas(root, ref).catch(() => new Set<string>());
  const missing = [...known].filter((id) => model.ideas.get(id)?.text === undefined);
  const added = await Promise.all(missing.map((id) => loadIdea(root, ref, id)));
  addIdeas(
    model,
    added.filter((idea) => idea !== undefined),
  );
}
