/**
 * Folds the events of a run into its model, one at a time.
 * Invariant: a repeated, missing or unknown event never throws and never counts twice. The reader drops damaged ones. The
 * cost per event does not grow with the number of ideas. May import protocol and the files beside it only.
 */
import type { StampedEvent } from '../protocol/events.js';
import { WORKER_LOST } from '../protocol/failures.js';
import type { Idea } from '../protocol/idea.js';
import { restKey } from '../protocol/idea-news.js';
import { dropEnd, keepEnd } from './at-end.js';
import { count, emptyCounts, takeTicked } from './counts.js';
import { foldIdea } from './fold-idea.js';
import { foldPause, resumed } from './fold-pause.js';
import { foldWave, MOST_REJECTED } from './fold-wave.js';
import { askAgain, noLongerAsks, stillAsks, toldAfter } from './left-asking.js';
import type { IdeaModel, RunModel } from './model.js';
import { isSplit } from './split.js';
import { asRecorded } from './stands.js';
import { emptyTally } from './tally.js';
import { wholeTitle } from './whole-title.js';
import { withLoss } from './worker-losses.js';

/** Maximum number of events in `log`. */
const MOST_LOG = 2000;

const OVER = new Set<string>(['completed', 'stopped', 'aborted']);

export interface RunHead {
  project: string;
  runId: string;
  name: string;
  target: string;
  startedAt?: number;
  mode?: RunModel['mode'];
  slots?: number;
  startAgain?: RunModel['startAgain'];
}

export function newModel(
  head: RunHead,
  ideas: Iterable<Idea> = [],
  landedBefore: ReadonlySet<string> = new Set(),
  onlyTicked: ReadonlySet<string> = new Set(),
): RunModel {
  const model: RunModel = {
    mode: 'autopilot',
    review: false,
    state: 'idle',
    ideas: new Map(),
    order: [],
    counts: emptyCounts(),
    queue: [],
    accounts: new Map(),
    replaced: new Map(),
    limits: [],
    pauses: [],
    warnings: [],
    budget: [],
    spent: emptyTally(),
    conflicts: 0,
    waves: new Map(),
    rejected: new Map(),
    log: [],
    events: 0,
    ...head,
  };
  addIdeas(model, ideas, landedBefore);
  takeTicked(model, onlyTicked);
  return model;
}

/** Adds ideas of the backlog. Known ideas get new texts and keep their history. */
export function addIdeas(model: RunModel, ideas: Iterable<Idea>, landedBefore: ReadonlySet<string> = new Set()): void {
  for (const idea of ideas) {
    const known = model.ideas.get(idea.id);
    if (known) count(model.counts, known, -1);
    const entry = known ?? newIdea(idea.id, idea.title);
    Object.assign(entry, {
      // The run's own title is newer.
      title: known?.since === undefined ? idea.title : wholeTitle(idea.title, known.title),
      text: idea.text,
      // A person may have split it while the run was open.
      group: idea.blue || known?.group === true,
      dependsOn: idea.dependsOn,
      tags: idea.tags,
    });
    if (idea.ralph) delete entry.single;
    else entry.single = true;
    if (idea.plan) entry.plan = true;
    else delete entry.plan;
    if (idea.success.length > 0) entry.success = idea.success;
    if (idea.parent !== undefined) entry.parent = idea.parent;
    if (idea.agent !== undefined && entry.agent === undefined) entry.agent = idea.agent;
    if (!known) {
      model.ideas.set(idea.id, entry);
      model.order.push(idea.id);
      if (landedBefore.has(idea.id))
        Object.assign(entry, { status: 'landed', landedBefore: true, ...(idea.done ? { ticked: true } : {}) });
    }
    count(model.counts, entry, 1);
  }
  for (const idea of model.ideas.values()) {
    const parent = idea.parent === undefined ? undefined : model.ideas.get(idea.parent);
    if (parent && !parent.children.includes(idea.id)) parent.children.push(idea.id);
  }
}

export const newIdea = (id: string, title: string): IdeaModel => ({
  id,
  title,
  group: false,
  children: [],
  dependsOn: [],
  tags: [],
  status: 'pending',
  held: false,
  approval: false,
  landedBefore: false,
  iterations: [],
  stepsSkipped: [],
  stepsFailed: [],
  commits: 0,
  retries: 0,
  bounces: 0,
  spent: emptyTally(),
  moments: [],
  said: [],
  warnings: [],
});

/** A repeated event counts once. */
function foldLeft(model: RunModel, { idea, why }: Extract<StampedEvent, { kind: 'left' }>): void {
  const others = (model.endedHere ?? []).filter((one) => one.idea !== idea);
  model.endedHere = [...others, { idea, why }];
}

/** Applies one event. An unknown kind from a newer version goes into the log and changes nothing else. */
export function fold(model: RunModel, event: StampedEvent): void {
  const at = Date.parse(event.at);
  if (Number.isNaN(at)) return;
  if (event.kind === 'cleaned') {
    // It is not about the run, and may come long after it.
    model.log.push(event);
    return;
  }
  model.events += 1;
  // What people do after the run makes it no longer.
  if (event.kind !== 'command' || !event.afterRun) model.lastAt = at;
  model.startedAt ??= at;
  if (!isRepeat(model, event)) model.log.push(event);
  if (model.log.length > MOST_LOG * 1.5) model.log.splice(0, model.log.length - MOST_LOG);
  switch (event.kind) {
    case 'run':
      // A clock that was set back must not make the run shorter than its events.
      if (model.since === undefined) model.startedAt = Math.min(model.startedAt, at);
      if (event.state !== model.state || model.since === undefined) model.since = at;
      foldPause(model, event, at);
      model.state = event.state;
      setOrDrop(model, 'why', event.why);
      if (event.mode) model.mode = event.mode;
      if (event.ticked) takeTicked(model, new Set(event.ticked));
      if (event.slots !== undefined) model.slots = event.slots;
      if (event.spent) model.reported = event.spent;
      if (OVER.has(event.state)) {
        model.endedAt = at;
        askAgain(model);
      } else if (model.endedAt !== undefined) {
        delete model.endedAt;
        for (const idea of model.ideas.values()) noLongerAsks(model, idea);
        dropEnd(model);
      }
      return;
    case 'account':
      foldAccount(model, event.account, at);
      return;
    case 'command':
      if (event.idea === undefined && event.verb === 'review') model.review = false;
      if (event.idea === undefined && event.verb === 'approve') model.approvals = withTime(model.approvals, at);
      if (event.idea === undefined && event.verb === 'resume') resumed(model);
      break;
    case 'push':
      model.warnings = model.warnings.filter(({ kind }) => kind !== 'push');
      if (event.state === 'held') model.warnings.push({ kind: 'push', text: event.why ?? '', since: at });
      return;
    case 'waiting':
      if (event.why === WORKER_LOST) model.workerLosses = withLoss(model.workerLosses ?? [], event.idea, at);
      break;
    case 'left':
      // It may be no idea of this run.
      foldLeft(model, event);
      return;
    case 'wave':
      foldWave(model, event, at);
      return;
    case 'rejected':
      if (model.rejected.size < MOST_REJECTED || model.rejected.has(event.report)) {
        const { report, as, title, gate, reason, quote, duplicateOf, judgedBy } = event;
        const about = { report, as, title, gate, reason, quote };
        const by = judgedBy === undefined ? {} : { judgedBy };
        model.rejected.set(report, { ...about, ...(duplicateOf === undefined ? {} : { duplicateOf }), ...by });
      }
      return;
    case 'warning':
      if (event.idea === undefined) {
        model.warnings = model.warnings.filter(({ kind }) => kind !== event.warning);
        model.warnings.push({ kind: event.warning, text: event.text, since: at });
        return;
      }
      break;
    case 'warning-over':
      if (event.idea === undefined) model.warnings = model.warnings.filter(({ kind }) => kind !== event.warning);
      break;
    default:
  }
  if (!('idea' in event) || typeof event.idea !== 'string') return;
  const idea = model.ideas.get(event.idea) ?? added(model, event.idea);
  if (!idea.group && isSplit(event, model.endedAt !== undefined)) {
    count(model.counts, idea, -1);
    // No number counts a group.
    idea.group = true;
  }
  // Such a command comes before the change that it makes.
  if (event.kind === 'command' && (event.afterRun || model.endedAt !== undefined)) {
    count(model.counts, idea, -1);
    asRecorded(idea);
    keepEnd(idea);
    count(model.counts, idea, 1);
    toldAfter(model, idea, event);
  }
  if (event.kind === 'idea') {
    count(model.counts, idea, -1);
    asRecorded(idea);
    foldIdea(model, idea, event, at);
    stillAsks(idea, model.state);
    count(model.counts, idea, 1);
    queue(model, idea);
    return;
  }
  if (event.kind === 'landing') model.landing = event.idea;
  const { review } = idea;
  foldIdea(model, idea, event, at);
  if (idea.review !== review) queue(model, idea);
}

/** The log has it once. */
function isRepeat({ ideas }: RunModel, event: StampedEvent): boolean {
  if (event.kind !== 'idea') return false;
  const idea = ideas.get(event.idea);
  return idea?.since !== undefined && restKey(event) !== undefined && restKey(event) === restKey(idea);
}

/** A repeated event counts once. */
const withTime = (times: readonly number[] = [], at: number): number[] => [...times.filter((one) => one !== at), at];

function added(model: RunModel, id: string): IdeaModel {
  const idea = newIdea(id, id);
  model.ideas.set(id, idea);
  model.order.push(id);
  count(model.counts, idea, 1);
  return idea;
}

function queue(model: RunModel, { id, status, review }: IdeaModel): void {
  const waits = model.queue.includes(id);
  const lands = status === 'landing' && review === undefined;
  if (lands && !waits) model.queue.push(id);
  if (!lands && waits) model.queue.splice(model.queue.indexOf(id), 1);
  if (!lands && model.landing === id) delete model.landing;
}

function foldAccount(
  model: RunModel,
  account: Extract<StampedEvent, { kind: 'account' }>['account'],
  at: number,
): void {
  model.accounts.set(account.key, account);
  const last = model.limits.findLast(({ key }) => key === account.key);
  const open = last !== undefined && last.to === undefined;
  if (account.state === 'open') {
    if (open) last.to = at;
  } else if (!open) {
    const { key, agents, reason } = account;
    model.limits.push({ key, agents, from: at, ...(reason === undefined ? {} : { reason }) });
  }
}

function setOrDrop<T, K extends keyof T>(to: T, key: K, value: T[K] | undefined): void {
  if (value === undefined) delete to[key];
  else to[key] = value;
}
