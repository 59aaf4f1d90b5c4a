/**
 * Counts and lists of a run's ideas for the views, in one pass. A view of ten thousand ideas costs a millisecond, and
 * is drawn once a second and for every query.
 * Invariant: lists are bounded, counts are not.
 * May import protocol and decide only.
 */

import type { Spent } from '../../protocol/budget.js';
import { many } from '../../protocol/many.js';
import type { AutopilotState, IdeaEntry } from '../../protocol/run.js';
import { IDEA_STATUSES, type IdeaStatus, type IterationStats } from '../../protocol/states.js';
import type { GroupView, IdeaLine, IdeaView, RunStatistics } from '../../protocol/views.js';
import { addSpent, nothingSpent } from '../budget/amounts.js';
import type { Graph } from '../scheduler/graph.js';

/** Most ideas in a list, so that an answer stays small in any run: as many as there can be slots. */
export const MAX_LISTED = 100;

/** A list cut at {@link MAX_LISTED}, and its full length. */
export interface Listed<T> {
  shown: T[];
  total: number;
}

export interface Survey {
  /** Counts and total have the ideas of {@link isCounted}. */
  counts: Record<IdeaStatus, number>;
  total: number;
  /** Ideas that hold a slot, want one, or land, by status and then backlog order. */
  active: Listed<IdeaEntry>;
  /** Ideas that wait for a person, in the same order; those that wait for an approval come last. */
  attention: Listed<IdeaEntry>;
  /** Ideas that a person put on hold. They rest, and ask nothing. */
  held: Listed<IdeaEntry>;
  warned: Listed<IdeaEntry>;
  /** Next iterations that wait for an approval. */
  approvals: number;
  /** Paused without a question, or about to pause. */
  pausedIdeas: number;
  /** A git task that a person asked for is running. */
  gitTasks: number;
  conflictsResolved: number;
  /** Of ideas that have not ended; the others are in the run's totals. */
  iterations: IterationStats;
}

const ACTIVE: readonly IdeaStatus[] = ['running', 'paused', 'wants-slot', 'landing'];
const ATTENTION: readonly IdeaStatus[] = ['needs-human', 'blocked', 'failed', 'timeout'];

const noCounts = (): Record<IdeaStatus, number> =>
  Object.fromEntries(IDEA_STATUSES.map((status) => [status, 0])) as Record<IdeaStatus, number>;

export function survey(entries: readonly IdeaEntry[]): Survey {
  const found = {
    counts: noCounts(),
    total: 0,
    approvals: 0,
    pausedIdeas: 0,
    gitTasks: 0,
    conflictsResolved: 0,
    iterations: noIterations(),
  };
  const byStatus = new Map([...ACTIVE, ...ATTENTION].map((status) => [status, emptyList<IdeaEntry>()]));
  const approvals = emptyList<IdeaEntry>();
  const held = emptyList<IdeaEntry>();
  const warned = emptyList<IdeaEntry>();
  for (const entry of entries) {
    const { status } = entry;
    if (isCounted(entry)) {
      found.counts[status] += 1;
      found.total += 1;
    }
    if (entry.iterations) found.iterations = addStats(found.iterations, entry.iterations);
    if (entry.warnings) put(warned, entry);
    if (entry.busy) found.gitTasks += 1;
    if (entry.approval) found.approvals += 1;
    else if (status === 'paused' || entry.pauseAsked) found.pausedIdeas += 1;
    if (status === 'landed' && entry.conflicted) found.conflictsResolved += 1;
    const list = byStatus.get(status);
    if (list) put(list, entry);
    if (isHeld(entry)) put(held, entry);
    else if (entry.approval && !ATTENTION.includes(status)) put(approvals, entry);
  }
  const lists = (statuses: readonly IdeaStatus[]): Listed<IdeaEntry>[] =>
    statuses.flatMap((status) => byStatus.get(status) ?? []);
  const attention = joined([...lists(ATTENTION), approvals]);
  return { ...found, active: joined(lists(ACTIVE)), attention, held, warned };
}

/**
 * Whether the numbers of the run have it. A Blue is never executed itself. What is only ticked has not landed on this
 * target, for example when it landed on another one, and is nothing to do either.
 */
export const isCounted = (entry: IdeaEntry): boolean => !entry.card.blue && !isOnlyTicked(entry);

export const isOnlyTicked = ({ ticked, status, commit }: IdeaEntry): boolean =>
  ticked === true && status === 'landed' && !commit;

/** The status comes before the hold in every other case. */
export const isHeld = ({ approval, hold, status }: IdeaEntry): boolean =>
  hold === true && status === 'pending' && approval !== true;

const emptyList = <T>(): Listed<T> => ({ shown: [], total: 0 });

function put<T>(list: Listed<T>, item: T): void {
  list.total += 1;
  if (list.shown.length < MAX_LISTED) list.shown.push(item);
}

function joined<T>(lists: readonly Listed<T>[]): Listed<T> {
  return {
    shown: lists.flatMap((list) => list.shown).slice(0, MAX_LISTED),
    total: lists.reduce((sum, list) => sum + list.total, 0),
  };
}

export const noIterations = (): IterationStats => ({ count: 0, totalMs: 0, minMs: 0, maxMs: 0 });

export function addIteration(stats: IterationStats, durationMs: number): IterationStats {
  return addStats(stats, { count: 1, totalMs: durationMs, minMs: durationMs, maxMs: durationMs });
}

export function addStats(a: IterationStats, b: IterationStats): IterationStats {
  if (a.count === 0) return b;
  if (b.count === 0) return a;
  return {
    count: a.count + b.count,
    totalMs: a.totalMs + b.totalMs,
    minMs: Math.min(a.minMs, b.minMs),
    maxMs: Math.max(a.maxMs, b.maxMs),
  };
}

/**
 * Statistics with the unreported iterations of running ideas. Ideas report only when they wait or end, so that a run of
 * thousands of iterations keeps a short history.
 */
export function withUnreported(
  statistics: RunStatistics,
  lines: readonly IdeaLine[],
  views: readonly IdeaView[],
): RunStatistics {
  const reported = new Map(lines.map((line) => [line.id, line.iterations]));
  const { total, averageMs, fastestMs, slowestMs } = statistics.iterations;
  let all: IterationStats = { count: total, totalMs: averageMs * total, minMs: fastestMs, maxMs: slowestMs };
  for (const { idea, iterations } of views) {
    if (!iterations) continue;
    const known = reported.get(idea) ?? noIterations();
    const count = iterations.count - known.count;
    if (count > 0) all = addStats(all, { ...iterations, count, totalMs: iterations.totalMs - known.totalMs });
  }
  const iterations = {
    total: all.count,
    averageMs: all.count === 0 ? 0 : Math.round(all.totalMs / all.count),
    fastestMs: all.minMs,
    slowestMs: all.maxMs,
  };
  return { ...statistics, iterations };
}

/*
 * A Blue in views: done when its children are (A4), and its open children.
 * Invariant: derived from the graph, because a Blue has no status of its own. Its lists are bounded.
 * May import protocol and decide only.
 */

/** The displayed status of an entry: a Blue has landed when its children have. */
export const groupStatus = (entry: IdeaEntry, graph: Graph): IdeaStatus => {
  if (!entry.card.blue) return entry.status;
  return graph.isDone(entry.card.id) ? 'landed' : 'pending';
};

/** `2 of 3 ideas in it landed` */
export function groupText(id: string, graph: Graph): string {
  const { done, total } = graph.group(id) ?? { done: 0, total: 0 };
  if (total === 0) return 'there are no ideas in it';
  return `${done} of ${many(total, 'idea')} in it landed`;
}

/** Undefined for an idea that is not a Blue. */
export function groupView(id: string, graph: Graph): GroupView | undefined {
  const group = graph.group(id);
  if (!group) return undefined;
  const children = graph.children(id);
  const open = children.filter((child) => !graph.isDone(child));
  const landed = children.filter((child) => graph.isDone(child));
  return {
    ...group,
    landed: landed.slice(0, MAX_LISTED),
    open: open.slice(0, MAX_LISTED).map((child) => `${child} (${childText(child, graph)})`),
  };
}

function childText(id: string, graph: Graph): string {
  const entry = graph.entry(id);
  if (entry?.card.blue) return groupText(id, graph);
  return entry && isHeld(entry) ? 'held' : (entry?.status ?? 'unknown');
}

/** How many had landed before this run. An idea that this run landed has its commit. */
export const landedBefore = (entries: readonly IdeaEntry[]): number =>
  entries.filter((entry) => isCounted(entry) && entry.status === 'landed' && !entry.commit).length;

/** By ended ideas, and by the others as they reported it last. */
export function runSpent({ entries, totals }: AutopilotState): Spent | undefined {
  let sum = totals.spent;
  for (const { course, life, booked } of entries)
    if (course?.spent && life !== booked) sum = addSpent(sum ?? nothingSpent(), course.spent);
  return sum;
}
