/**
 * The lists that views show, computed once per change of the model.
 * Invariant: an unchanged model gives the same list objects, whichever view asks.
 */
import { needsOfRun } from '../decide/views/resting.js';
import { countsIn, hasLanded, partOf } from '../model/counts.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import { isOff } from '../model/reverted.js';
import type { WarningLine } from '../protocol/warnings.js';
import { goneNotices } from './gone.js';
import { isOver } from './idea/possible.js';
import { type Shown, shownOf } from './text/theme.js';

/** One line of *Needs you*. */
export interface Need {
  /** Id of the idea; for an account `account <key>`; for the run `run review`. */
  id: string;
  shown: Shown | 'review';
  since?: number;
  idea?: IdeaModel;
  /** Only for the run and an account. */
  text?: string;
}

/** What its line begins with. */
export const needName = ({ idea, shown }: Need): string => idea?.id ?? (shown === 'review' ? 'run' : 'login');

export interface Lists {
  /** Entries that an answer unblocks come first; within a kind, the oldest first. */
  needs: Need[];
  warnings: WarningLine[];
  /** Ideas that work, in order of the number of their slots. */
  slots: IdeaModel[];
  /** Slots that are not free: a paused idea, and one that waits for an approval, keep theirs. */
  taken: number;
  /** Of those, how many have no line among the slots. */
  rests: { approval: number; paused: number };
  /** Ideas of an open run that go on after a `resume`: the paused ones, then the held ones. */
  resting: IdeaModel[];
  /** Ideas of an open run that wait for a slot or an account while none works. They go on by themselves. */
  idle: IdeaModel[];
  /** Ready to start, highest rank first. After the run: what the next start takes. */
  ready: string[];
  /** Pending ideas, each with the idea that it waits for. */
  waiting: { id: string; after: string }[];
  after: ReadonlyMap<string, string>;
  /** Width of the longest id, in cells. */
  longestId: number;
  /** Agent and gate time of each idea that landed in this run. */
  landedMs: number[];
  /** How many landed ideas of an open run are off its target. */
  off: number;
  /** How many ideas had landed before this run. */
  landedBefore: number;
  agents: string[];
}

interface Kept {
  key: string;
  /** These can change without an event. */
  warnings: readonly WarningLine[];
  notices: RunModel['notices'];
  lists: Lists;
}
const kept = new WeakMap<RunModel, Kept>();

export function listsOf(model: RunModel): Lists {
  const key = `${model.events} ${model.order.length} ${model.live?.at ?? 0}`;
  const last = kept.get(model);
  if (last?.key === key && last.warnings === model.warnings && last.notices === model.notices) return last.lists;
  const lists = make(model);
  kept.set(model, { key, warnings: model.warnings, notices: model.notices, lists });
  return lists;
}

/** A pending idea has no workflow that takes an answer: its warnings are those that were open when a stop cut it off. */
export const openWarnings = ({ status, warnings }: IdeaModel): readonly WarningLine[] =>
  status === 'pending' ? [] : warnings;

const FIRST: readonly Need['shown'][] = ['review', 'asks', 'approve', 'login', 'blocked', 'failed', 'timed out'];
const place = (shown: Need['shown']): number => (FIRST.indexOf(shown) + FIRST.length + 1) % (FIRST.length + 1);

function make(model: RunModel): Lists {
  const needs: Need[] = [];
  const slots: IdeaModel[] = [];
  const paused: IdeaModel[] = [];
  const held: IdeaModel[] = [];
  const idle: IdeaModel[] = [];
  const over = isOver(model);
  const ready: string[] = [];
  const waiting: Lists['waiting'] = [];
  const after = new Map<string, string>();
  const landedMs: number[] = [];
  const agents = new Set<string>();
  // A run that is over needs no review, and the line of a review has it.
  const review = over ? undefined : needsOfRun({ ...model, accounts: [] })[0];
  const warnings = model.warnings.filter(({ kind }) => (!over && !review) || kind !== 'errors');
  if (review)
    needs.push({
      ...{ id: 'run review', shown: 'review', text: `${review.text}; V goes on` },
      ...(model.since === undefined ? {} : { since: model.since }),
    });
  for (const { text, since } of model.notices ?? []) warnings.push({ kind: 'outside', text, since });
  for (const { idea, text } of goneNotices(model)) warnings.push({ ...(idea ? { idea } : {}), kind: 'outside', text });
  let longestId = 0;
  let taken = 0;
  const rests = { approval: 0, paused: 0 };
  let off = 0;
  let landedBefore = 0;
  for (const id of model.order) {
    const idea = model.ideas.get(id);
    if (!idea) continue;
    if (id.length > longestId) longestId = id.length;
    if (idea.iterations.length > 0) for (const { agent } of idea.iterations) if (agent) agents.add(agent);
    warnings.push(...openWarnings(idea));
    if (idea.group) continue;
    if (idea.status === 'running') slots.push(idea);
    if ((idea.status === 'running' && !idea.gating) || (!over && idea.slot !== undefined)) taken += 1;
    if (!over && idea.slot !== undefined && idea.status === 'paused') rests[idea.approval ? 'approval' : 'paused'] += 1;
    if (idea.status === 'landed') {
      const ms = idea.landedBefore ? 0 : workedMs(idea);
      if (ms > 0) landedMs.push(ms);
      if (isOff(idea)) off += 1;
      if (idea.landedBefore && countsIn(idea)) landedBefore += 1;
      continue;
    }
    if (partOf(idea) === 'needYou') {
      const need: Need = { id, shown: shownOf(idea, model.landing), idea };
      // That is when it landed, and not when it was taken off.
      if (idea.since !== undefined && !idea.off) need.since = idea.since;
      needs.push(need);
    }
    if (!over && !idea.approval) {
      if (idea.status === 'wants-slot') idle.push(idea);
      else if (idea.status === 'paused') paused.push(idea);
      else if (idea.status === 'pending' && idea.held) held.push(idea);
    }
    if (over && model.nextIdeas) continue;
    if (over ? !startsNext(idea) : idea.status !== 'pending' || idea.held || idea.approval) continue;
    const first = idea.dependsOn.find((one) => !hasLanded(model.ideas, one));
    if (first === undefined) ready.push(id);
    else {
      after.set(id, first);
      waiting.push({ id, after: first });
    }
  }
  for (const [id, { after: first }] of (over && model.nextIdeas) || []) {
    const idea = model.ideas.get(id);
    if (idea && !startsNext(idea)) continue;
    if (id.length > longestId) longestId = id.length;
    if (first === undefined) ready.push(id);
    else {
      after.set(id, first);
      waiting.push({ id, after: first });
    }
  }
  for (const account of model.accounts.values()) {
    for (const agent of account.agents) agents.add(agent);
    // A run that stops goes on with nothing.
    if (account.state === 'open' || account.kind !== 'auth' || model.state === 'stopping') continue;
    needs.push({
      id: `account ${account.key}`,
      shown: 'login',
      text: `${account.agents.join(', ') || account.key}: ${account.reason ?? 'needs a login'}`,
      ...(account.since === undefined ? {} : { since: account.since }),
    });
  }
  needs.sort((a, b) => place(a.shown) - place(b.shown) || (a.since ?? 0) - (b.since ?? 0));
  slots.sort((a, b) => (a.slot ?? Number.MAX_SAFE_INTEGER) - (b.slot ?? Number.MAX_SAFE_INTEGER));
  return {
    needs,
    warnings,
    slots,
    taken,
    rests,
    resting: [...paused, ...held],
    idle: slots.length === 0 ? idle : [],
    ready: over ? asNext(model, ready) : best(model, ready),
    waiting,
    after,
    longestId,
    landedMs,
    off,
    landedBefore,
    agents: [...agents].sort(),
  };
}

/** Whether the next start takes an idea that has not landed; the decision of `takeForNext`. */
const startsNext = ({ status, forNext, off, lineGone }: IdeaModel): boolean =>
  !forNext?.leftOut && !lineGone && ((status !== 'abandoned' && !off?.stays) || forNext?.queued === true);

const workedMs = (idea: IdeaModel): number =>
  idea.iterations.reduce((sum, { durationMs = 0, gate }) => sum + durationMs + (gate?.durationMs ?? 0), 0);

/** Uses the worker's ranking, then the score, then the order of a start, then that of the backlog. */
function best(model: RunModel, ready: string[]): string[] {
  const isReady = new Set(ready);
  const next = (model.live?.next ?? []).filter((id) => isReady.has(id));
  const scores = model.live?.scores;
  const known = new Set(next);
  const rest = asNext(
    model,
    ready.filter((id) => !known.has(id)),
  );
  if (scores)
    rest.sort((a, b) => (scores[b] ?? Number.NEGATIVE_INFINITY) - (scores[a] ?? Number.NEGATIVE_INFINITY) || 0);
  return [...next, ...rest];
}

/** Sorts ids as the next start takes them; unknown ones come last, in backlog order. */
export function asNext({ nextOrder = [] }: Pick<RunModel, 'nextOrder'>, ids: readonly string[]): string[] {
  const places = new Map(nextOrder.map((id, place) => [id, place]));
  const place = (id: string): number => places.get(id) ?? places.size;
  return [...ids].sort((a, b) => place(a) - place(b));
}

/** Ideas that this one's landing unblocks, directly or indirectly, also through the epics that it is part of. */
export function waitingFor(model: RunModel, id: string): string[] {
  const { waiting } = listsOf(model);
  const found = new Set<string>();
  // What depends on an epic waits for all of its ideas.
  const holds = new Set(withEpics(model, id));
  for (let grew = true; grew; ) {
    grew = false;
    for (const one of waiting) {
      if (found.has(one.id) || one.id === id) continue;
      if (model.ideas.get(one.id)?.dependsOn.some((on) => holds.has(on))) {
        found.add(one.id);
        for (const held of withEpics(model, one.id)) holds.add(held);
        grew = true;
      }
    }
  }
  return [...found];
}

/** The idea and the epics above it. */
function withEpics({ ideas }: RunModel, id: string): Set<string> {
  const found = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !found.has(at); at = ideas.get(at)?.parent) found.add(at);
  return found;
}
