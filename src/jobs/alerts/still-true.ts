/**
 * Drops the events of an alert that are over by now. Quiet hours hold an alert longer than its run may last, and nobody
 * takes an event back after the end of its run, or before a worker has read the answer.
 * Invariant: an event is dropped only where the files say that it is over: one alert too many is better than none. Ends
 * stay: what landed, what failed, and the end of a run.
 */
import { fold, newModel } from '../../model/fold.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import type { Alert, AlertItem, AlertKind } from '../../protocol/alerts.js';
import { questionIn } from '../../protocol/answer-command.js';
import type { StampedEvent } from '../../protocol/events.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { runsOver } from '../../run-files/begun.js';
import { eventsPath, followEvents } from '../../run-files/events.js';
import { queuedAnswers } from '../../run-files/queued-answers.js';
import { knownIdeas } from '../../run-files/run.js';

const ENDS: ReadonlySet<AlertKind> = new Set(['landed', 'failed', 'run-done']);

const STATUS: Partial<Record<AlertKind, IdeaStatus>> = {
  question: 'needs-human',
  blocked: 'blocked',
  'timed-out': 'timeout',
};

/** Undefined: all of it is over. */
export async function withoutOver(root: string, project: string, alert: Alert): Promise<Alert | undefined> {
  if (alert.items.every(({ kind }) => ENDS.has(kind))) return alert;
  const files = new Files(root, project, new Set(alert.items.flatMap(({ idea }) => idea ?? [])));
  const over = await Promise.all(alert.items.map((item) => isOver(files, item).catch(() => false)));
  if (!over.includes(true)) return alert;
  const items = alert.items.filter((_, index) => !over[index]);
  const counts = { ...alert.counts };
  for (const { kind } of alert.items.filter((_, index) => over[index])) {
    counts[kind] = (counts[kind] ?? 1) - 1;
    if (!items.some((item) => item.kind === kind)) delete counts[kind];
  }
  return items.length > 0 ? { ...alert, items, counts } : undefined;
}

async function isOver(files: Files, item: AlertItem): Promise<boolean> {
  if (ENDS.has(item.kind)) return false;
  const runs = await files.runs();
  const index = runs.findIndex(({ runId }) => runId === item.run);
  const { over = false } = runs[index] ?? {};
  if (!over) return files.isAnswered(item);
  const later = runs.slice(0, index).map(({ runId }) => runId);
  return item.idea === undefined ? isConditionOver(files, item, later) : isIdeaOver(files, item, item.idea, later);
}

/** The end of a run ends what it waited for, but for what the remote lacks: of that, only a later run says more. */
async function isConditionOver(files: Files, item: AlertItem, later: readonly string[]): Promise<boolean> {
  if (item.kind !== 'not-pushed') return true;
  for (const run of later) if ((await files.told(run)).model.since !== undefined) return true;
  const { model } = await files.told(item.run);
  return model.since !== undefined && !model.warnings.some(({ kind }) => kind === 'push');
}

async function isIdeaOver(files: Files, item: AlertItem, id: string, later: readonly string[]): Promise<boolean> {
  for (const run of later) {
    const { model } = await files.told(run);
    // A start that failed is no run.
    if (model.since === undefined) continue;
    const idea = model.ideas.get(id);
    // A run that asks again tells its own question.
    if (item.kind === 'question' && (idea || (await files.has(run, id)))) return true;
    if (idea) return idea.status !== STATUS[item.kind];
  }
  const idea = (await files.told(item.run)).model.ideas.get(id);
  return idea !== undefined && !stands(idea, item);
}

const stands = ({ status, questionId }: IdeaModel, item: AlertItem): boolean => {
  const asked = questionIn(item.command);
  return status === STATUS[item.kind] && (asked === undefined || questionId === undefined || asked === questionId);
};

interface Told {
  model: RunModel;
  /** Answers that the run took and refused, by idea. epoch ms */
  taken: Map<string, number[]>;
  refused: Map<string, number[]>;
}

/** What the files of a project tell about some of its ideas. Each run is read once. */
class Files {
  readonly #root: string;
  readonly #project: string;
  readonly #ideas: ReadonlySet<string>;
  readonly #told = new Map<string, Promise<Told>>();
  #runs: ReturnType<typeof runsOver> | undefined;

  constructor(root: string, project: string, ideas: ReadonlySet<string>) {
    this.#root = root;
    this.#project = project;
    this.#ideas = ideas;
  }

  /** Newest first. */
  runs(): ReturnType<typeof runsOver> {
    this.#runs ??= runsOver(this.#root, this.#project);
    return this.#runs;
  }

  async has(runId: string, idea: string): Promise<boolean> {
    return (await knownIdeas(this.#root, this.#ref(runId))).has(idea);
  }

  told(runId: string): Promise<Told> {
    const told = this.#told.get(runId) ?? this.#read(this.#ref(runId));
    this.#told.set(runId, told);
    return told;
  }

  /** A person has answered the question: the run has the answer, or will have it as soon as a worker runs. */
  async isAnswered(item: AlertItem): Promise<boolean> {
    const { kind, idea, run, at } = item;
    if (kind !== 'question' || idea === undefined) return false;
    const { taken, refused } = await this.told(run);
    if (taken.get(idea)?.some((one) => one >= at)) return true;
    const asked = questionIn(item.command);
    const queued = await queuedAnswers(this.#root, this.#ref(run));
    return queued.some(
      (one) =>
        one.idea === idea &&
        one.at >= at &&
        (asked === undefined || one.question === undefined || one.question === asked) &&
        !refused.get(idea)?.some((when) => when >= one.at),
    );
  }

  #ref(runId: string): RunRef {
    return { project: this.#project, runId };
  }

  async #read(ref: RunRef): Promise<Told> {
    const model = newModel({ ...ref, name: '', target: '' });
    const told: Told = { model, taken: new Map(), refused: new Map() };
    for await (const event of followEvents(eventsPath(this.#root, ref), AbortSignal.abort())) {
      if ('idea' in event && event.idea !== undefined && !this.#ideas.has(event.idea)) continue;
      fold(model, event);
      noteAnswer(told, event);
    }
    return told;
  }
}

const ANSWERS: ReadonlySet<string> = new Set(['answer', 'approve']);

function noteAnswer({ taken, refused }: Told, event: StampedEvent): void {
  const answers =
    event.kind === 'answered' || ((event.kind === 'command' || event.kind === 'refused') && ANSWERS.has(event.verb));
  if (!answers || event.idea === undefined) return;
  const list = event.kind === 'refused' ? refused : taken;
  list.set(event.idea, [...(list.get(event.idea) ?? []), Date.parse(event.at)]);
}
