/**
 * Folds the events of a run, and believes its summary where they are lost: the file was removed, emptied or cut short.
 * Invariant: pure. Events of after the run count in any case. A run whose events are whole is as they tell it; without a
 * summary the events are all there is.
 */
import type { StampedEvent } from '../protocol/events.js';
import { staysLanded } from '../protocol/taken-off.js';
import { count, emptyCounts } from './counts.js';
import type { IdeaFacts, SummaryFile } from './facts.js';
import { fold, newIdea } from './fold.js';
import { foldWaveEnd } from './fold-wave.js';
import { askAgain } from './left-asking.js';
import type { GateRun, IdeaModel, RunModel } from './model.js';

export class Folding {
  readonly #model: RunModel;
  readonly #summary: SummaryFile | undefined;
  /** The last moment of which the summary tells; epoch ms. */
  readonly #until: number;
  #compared = false;
  #lost = false;
  #ended = false;

  constructor(model: RunModel, summary: SummaryFile | undefined) {
    this.#model = model;
    this.#summary = summary;
    this.#until = summary ? lastMoment(summary) : Number.POSITIVE_INFINITY;
  }

  /** The summary tells more than the events did. */
  get lost(): boolean {
    return this.#lost;
  }

  take(event: StampedEvent): void {
    // The times of several writers may cross; what follows such a command is of after the run.
    if (event.kind === 'command' && event.afterRun && Date.parse(event.at) > this.#until) this.#compare();
    fold(this.#model, event);
  }

  /** After the last event that there is, once. True when this is the call that found events lost. */
  end(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#compare();
    const { endedAt, since = 0 } = this.#model;
    // A run that somebody reset on the server tells its state again after its first end.
    if (this.#summary && endedAt === undefined && since <= this.#until) endAs(this.#model, this.#summary, this.#until);
    return this.#lost;
  }

  #compare(): void {
    if (this.#compared) return;
    this.#compared = true;
    if (!this.#summary || !tellsMore(this.#summary, this.#model)) return;
    this.#lost = true;
    takeSummary(this.#model, this.#summary, this.#until);
  }
}

function lastMoment({ run, ideas = [] }: SummaryFile): number {
  const times = ideas.flatMap(({ since, said = [], runs }) => [
    since,
    ...said.map(({ at }) => at),
    ...runs.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]),
  ]);
  return [run?.startedAt, run?.since, ...times].reduce<number>((last, at) => Math.max(last, at ?? 0), 0);
}

/** The worker may write the summary before the last events: fewer facts than events are no loss. */
function tellsMore({ ideas = [] }: SummaryFile, { events, ideas: known }: RunModel): boolean {
  return (
    events === 0 ||
    ideas.some(({ idea, status, since = 0, runs }) => {
      const told = known.get(idea);
      if (!told || told.iterations.length < runs.length) return true;
      // Told as pending; the fold asks its question again, as of when it was asked.
      const asksAgain = told.left !== undefined && status === 'pending';
      return told.status !== status && !asksAgain && (told.since ?? 0) < since;
    })
  );
}

function takeSummary(model: RunModel, summary: SummaryFile, until: number): void {
  // Later events change what is taken here.
  const { notLanded, run, ideas = [], status } = structuredClone(summary);
  for (const facts of ideas) restore(model, facts);
  for (const { idea: id, status: then, reason } of notLanded) {
    const idea = model.ideas.get(id);
    if (!idea || idea.status === then) continue;
    Object.assign(idea, { status: then, landedBefore: false, since: idea.since ?? until });
    if (reason === undefined) delete idea.reason;
    else idea.reason = reason;
  }
  for (const done of status.waves?.done ?? []) foldWaveEnd(model, done, status.waves?.of ?? done.wave);
  Object.assign(model, run, { warnings: run?.warnings ?? [] });
  endAs(model, summary, until);
}

function endAs(model: RunModel, { outcome, status }: SummaryFile, until: number): void {
  const { startedAt } = model;
  const { runtimeMs } = status.statistics as Partial<typeof status.statistics>;
  const at = startedAt === undefined || runtimeMs === undefined ? until : Math.max(until, startedAt + runtimeMs);
  Object.assign(model, { state: outcome, since: at, endedAt: at, lastAt: Math.max(at, model.lastAt ?? 0), queue: [] });
  delete model.landing;
  delete model.why;
  // Views rebuild their lists.
  model.events += 1;
  model.counts = emptyCounts();
  for (const idea of model.ideas.values()) count(model.counts, idea, 1);
  askAgain(model);
}

/** What the backlog has of the idea stays, and the moments of the events that are left. */
function restore(model: RunModel, facts: IdeaFacts): void {
  const { idea: id, signal: _, words: __, switched: ___, gate, mergedGate, runs, ...told } = facts;
  const known = model.ideas.get(id);
  if (!known) model.order.push(id);
  const { text, success, parent, group, children, dependsOn, tags, moments } = known ?? newIdea(id, told.title);
  const idea: IdeaModel = {
    ...newIdea(id, told.title),
    ...{ group, children, dependsOn, tags, moments },
    ...(text === undefined ? {} : { text }),
    ...(success ? { success } : {}),
    ...(parent === undefined ? {} : { parent }),
    ...told,
    ...(known?.landedBefore && staysLanded(told) ? { landedBefore: true } : {}),
    iterations: runs.map(({ gate: after, ...run }) => ({ ...run, ...(after ? { gate: gateOf(after) } : {}) })),
    ...(gate ? { gate: gateOf(gate) } : {}),
    ...(mergedGate ? { mergedGate: gateOf(mergedGate) } : {}),
  };
  if (told.status === 'landed' && told.commit !== undefined)
    idea.landedAs = { commit: told.commit, at: told.since ?? 0 };
  model.ideas.set(id, idea);
}

/** The facts leave empty lists out. */
const gateOf = (gate: NonNullable<IdeaFacts['gate']>): GateRun => ({
  ...{ newTests: [], knownTests: [], flaky: [], tolerated: [], tripwires: [] },
  ...gate,
});
