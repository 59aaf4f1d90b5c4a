/**
 * Builds the model of a run from its files, for views without server and worker.
 * Invariant: reads only. A run without files, or with files of an older version, is no error.
 */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { landedIdeas } from '../git/landing/landed.js';
import { orderAdded } from '../model/added-order.js';
import type { SummaryFile } from '../model/facts.js';
import { addIdeas, newModel } from '../model/fold.js';
import { MOST_REJECTED } from '../model/fold-wave.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import { Folding } from '../model/with-summary.js';
import type { StampedEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';
import type { ShownState } from '../protocol/states.js';
import { UserError } from '../protocol/user-error.js';
import { MOST_FRESH } from '../protocol/waves.js';
import { cleanedText } from './cleaned.js';
import { eventsPath, followEvents } from './events.js';
import { wavesInLedger } from './rejections.js';
import { knownIdeas, type LoadedRun, loadIdea, loadRun } from './run.js';
import { startAgainOf } from './start-again.js';
import { readSummary } from './summary.js';
import { needNoWork, onlyTicked, repositoryPath } from './ticks.js';

export interface ModelOfRun {
  model: RunModel;
  run: LoadedRun;
  /** A sentence for each file that could not be read or has lost what it held. The model's warnings have them, too. */
  problems: string[];
}

/** Files that are there and cannot be used are told, with their fix. */
function unlessUnusable(error: unknown): undefined {
  if (error instanceof UserError) throw error;
  return undefined;
}

/**
 * A model without events; the caller folds them in. `landed` reads what has landed on a target. Undefined when this host has no files of the run.
 * @throws StoredFileError or SystemError where its files cannot be used
 */
export async function emptyModel(root: string, ref: RunRef, landed = landedIdeas): Promise<ModelOfRun | undefined> {
  const run = await loadRun(root, ref).catch(unlessUnusable);
  if (!run) return undefined;
  const { file } = run;
  const ideas = [...run.ideas.values()];
  const backlogPath = repositoryPath(file.repo, file.backlog.file);
  const onTarget = new Set(await landed(file.repo, file.target, backlogPath).catch(() => []));
  const head = {
    ...{ project: ref.project, runId: ref.runId, name: basename(file.repo), target: file.target },
    ...{ startedAt: Date.parse(file.createdAt), slots: file.config.slots, startAgain: startAgainOf(file) },
  };
  const over = needNoWork(ideas, onTarget, file.again);
  // As the target is now. The first event of the run tells what it was then.
  const ticked = new Set(onlyTicked(over, onTarget));
  return { model: newModel(head, ideas, new Set(over), ticked), run, problems: [] };
}

/**
 * The model with all events so far. Calls `each` with every event, and the model that has it. Where events of a run that is over are lost, its
 * summary counts.
 * @throws StoredFileError or SystemError where its files cannot be used
 */
export async function readModel(
  root: string,
  ref: RunRef,
  each: (event: StampedEvent, model: RunModel) => void = () => {},
  landed = landedIdeas,
): Promise<ModelOfRun | undefined> {
  const found = await emptyModel(root, ref, landed);
  if (!found) return undefined;
  const { model, problems } = found;
  const summary = await readSummary(root, ref, () => {});
  const folding = new Folding(model, summary);
  let unreadable: Error | undefined;
  try {
    for await (const event of followEvents(eventsPath(root, ref), AbortSignal.abort())) {
      folding.take(event);
      each(event, model);
    }
  } catch (error) {
    if (!summary || !(error instanceof UserError)) throw error;
    unreadable = error;
  }
  folding.end();
  if (folding.lost || unreadable) problems.push(await lostEvents(root, ref, unreadable));
  problems.push(...(await takeAdded(root, ref, model)));
  await takeRejected(root, ref, model);
  const own = problems.map((text) => ({ kind: 'files' as const, text }));
  if (own.length > 0) model.warnings = [...model.warnings, ...own];
  return found;
}

/** The sentence about a run whose summary tells more than its events. */
export async function lostEvents(root: string, ref: RunRef, unreadable?: Error): Promise<string> {
  const path = eventsPath(root, ref);
  const cleaned = await cleanedText(root, ref, ['events']);
  if (cleaned !== undefined) return `${cleaned}. Its summary tells how it ended, and its report is kept`;
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  const how = size === undefined ? 'is missing' : size === 0 ? 'is empty' : 'lacks what the run told last';
  const what = unreadable?.message ?? `${path} ${how}`;
  return `the events of run ${ref.runId} are lost: ${what}. Its summary tells how it ended; its log and the timelines of its ideas are missing`;
}

/** After `Folding` found events lost: the ideas that a person added, and the sentence about it. */
export async function takeLost(root: string, ref: RunRef, model: RunModel): Promise<string> {
  await takeAdded(root, ref, model);
  return lostEvents(root, ref);
}

/**
 * One idea without its backlog text, and the time of the first event that names it. Undefined when no event names it,
 * nor the summary of a run whose events are lost.
 */
export async function readIdea(
  root: string,
  ref: RunRef,
  id: string,
): Promise<{ idea: IdeaModel; at: number; problem?: string } | undefined> {
  const events: StampedEvent[] = [];
  let ended = false;
  let unreadable: UserError | undefined;
  try {
    for await (const event of followEvents(eventsPath(root, ref), AbortSignal.abort())) {
      if ('idea' in event && event.idea === id) events.push(event);
      ended ||= event.kind === 'run' && OVER.has(event.state);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    unreadable = error;
  }
  const model = newModel({ project: ref.project, runId: ref.runId, name: '', target: '' });
  // Summaries are large, and this asks many runs.
  const summary = ended ? undefined : onlyOf(await readSummary(root, ref, () => {}), id);
  if (unreadable && !summary) throw unreadable;
  const folding = new Folding(model, summary);
  for (const event of events) folding.take(event);
  if (summary) folding.end();
  const idea = model.ideas.get(id);
  const problem = folding.lost ? { problem: await lostEvents(root, ref, unreadable) } : {};
  return idea && { idea, at: model.startedAt ?? 0, ...problem };
}

const OVER = new Set<ShownState>(['completed', 'stopped', 'aborted']);

/** Undefined where the summary does not name the idea either. */
function onlyOf(summary: SummaryFile | undefined, id: string): SummaryFile | undefined {
  const ideas = summary?.ideas?.filter(({ idea }) => idea === id) ?? [];
  return summary && ideas.length > 0 ? { ...summary, ideas } : undefined;
}

/**
 * Adds the ideas that a person added while the run was open. Returns a sentence for each whose file is damaged.
 */
export async function takeAdded(root: string, ref: RunRef, model: RunModel): Promise<string[]> {
  const known = await knownIdeas(root, ref).catch(() => new Set<string>());
  const missing = [...known].filter((id) => model.ideas.get(id)?.text === undefined);
  const problems: string[] = [];
  const added = await Promise.all(
    missing.map((id) =>
      loadIdea(root, ref, id).catch((error: unknown) => {
        if (!(error instanceof UserError)) throw error;
        problems.push(error.message);
        return undefined;
      }),
    ),
  );
  const ideas = added.filter((idea) => idea !== undefined);
  addIdeas(model, ideas);
  orderAdded(model, ideas);
  return problems;
}

/** Adds the rejected reports that were too many for events: a plan tells so many, and those of earlier plans not again. */
async function takeRejected(root: string, ref: RunRef, { waves, rejected: known }: RunModel): Promise<void> {
  if ([...waves.values()].every(({ rejected = 0 }) => rejected < MOST_FRESH)) return;
  const { rejected } = await wavesInLedger(root, ref).catch(() => ({ rejected: [] }));
  for (const { wave: _, plan: __, ...one } of rejected) {
    if (known.size >= MOST_REJECTED) return;
    if (!known.has(one.report)) known.set(one.report, one);
  }
}
