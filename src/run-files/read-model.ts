/**
 * Builds the model of a run from its files, for views without server and worker.
 * Invariant: reads only. A run without files, or with files of an older version, is no error.
 */
import { basename } from 'node:path';
import { landedIdeas } from '../git/landing/landed.js';
import { addIdeas, fold, newModel } from '../model/fold.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import type { StampedEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';
import { UserError } from '../protocol/user-error.js';
import { eventsPath, followEvents } from './events.js';
import { knownIdeas, type LoadedRun, loadIdea, loadRun } from './run.js';
import { startAgainOf } from './start-again.js';
import { needNoWork, repositoryPath } from './ticks.js';

export interface ModelOfRun {
  model: RunModel;
  run: LoadedRun;
}

/** Files that are there and cannot be used are told, with their fix. */
function unlessUnusable(error: unknown): undefined {
  if (error instanceof UserError) throw error;
  return undefined;
}

/**
 * A model without events; the caller folds them in. Undefined when this host has no files of the run.
 * @throws StoredFileError or SystemError where its files cannot be used
 */
export async function emptyModel(root: string, ref: RunRef): Promise<ModelOfRun | undefined> {
  const run = await loadRun(root, ref).catch(unlessUnusable);
  if (!run) return undefined;
  const { file } = run;
  const ideas = [...run.ideas.values()];
  const backlogPath = repositoryPath(file.repo, file.backlog.file);
  const onTarget = new Set(await landedIdeas(file.repo, file.target, backlogPath).catch(() => []));
  const head = {
    ...{ project: ref.project, runId: ref.runId, name: basename(file.repo), target: file.target },
    ...{ startedAt: Date.parse(file.createdAt), slots: file.config.slots, startAgain: startAgainOf(file) },
  };
  return { model: newModel(head, ideas, new Set(needNoWork(ideas, onTarget, file.again))), run };
}

/** The model with all events so far. Calls `each` with every event. */
export async function readModel(
  root: string,
  ref: RunRef,
  each: (event: StampedEvent) => void = () => {},
): Promise<ModelOfRun | undefined> {
  const found = await emptyModel(root, ref);
  if (!found) return undefined;
  for await (const event of followEvents(eventsPath(root, ref), AbortSignal.abort())) {
    fold(found.model, event);
    each(event);
  }
  await takeAdded(root, ref, found.model);
  return found;
}

/**
 * One idea without its backlog text, and the time of the first event that names it. Undefined when no event names it.
 */
export async function readIdea(
  root: string,
  ref: RunRef,
  id: string,
): Promise<{ idea: IdeaModel; at: number } | undefined> {
  const model = newModel({ project: ref.project, runId: ref.runId, name: '', target: '' });
  for await (const event of followEvents(eventsPath(root, ref), AbortSignal.abort()))
    if ('idea' in event && event.idea === id) fold(model, event);
  const idea = model.ideas.get(id);
  return idea && { idea, at: model.startedAt ?? 0 };
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

/** Whether the run has told a state. A start that failed leaves the folder of a run that never does. */
export async function hasBegun(root: string, ref: RunRef): Promise<boolean> {
  for await (const event of followEvents(eventsPath(root, ref), AbortSignal.abort())) {
    if (event.kind === 'run') return true;
  }
  return false;
}
