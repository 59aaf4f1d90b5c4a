/**
 * Which ready idea comes next (A2): a sum of named parts, highest first, backlog order on ties.
 * May import protocol and decide only.
 */

import type { Priority } from '../../protocol/idea.js';
import { many, triedAgain } from '../../protocol/many.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { Weights } from '../../protocol/run-settings.js';
import type { ScorePart } from '../../protocol/views.js';
import type { Graph } from './graph.js';

/** More than any score: a person puts it first. */
export const FIRST = 1_000_000;

/** Labels of what a person added. */
export const BUMPED = 'bumped';
export const SET_POINTS = 'set by a person';

/** What a bump added. Runs of older versions kept one sum of both. */
export const placeFirst = ({ boost = 0, points = boost >= FIRST ? 0 : boost }: Pick<IdeaEntry, 'boost' | 'points'>) =>
  boost - points;

/** The parts of the sum, in the order of the explanation. Parts worth nothing are omitted. */
export function scoreParts(entry: IdeaEntry, graph: Graph, weights: Weights): ScorePart[] {
  const { id, tags = [], priority } = entry.card;
  const unblocks = graph.unblocks(id);
  const siblings = graph.siblings(id);
  const parts: ScorePart[] = [
    { label: `unblocks ${many(unblocks, 'idea')}`, value: unblocks * weights.unblocks },
    { label: 'tag critical', value: tags.includes('critical') ? weights.critical : 0 },
    { label: 'tag quick-win', value: tags.includes('quick-win') ? weights.quickWin : 0 },
    { label: `priority ${priority?.said ?? ''}`, value: pointsOf(priority, weights) },
    {
      label: siblings ? `parent ${siblings.done}/${siblings.total} done` : 'parent',
      value: siblings && siblings.done > siblings.total / 2 ? weights.nearComplete : 0,
    },
    { label: BUMPED, value: placeFirst(entry) },
    { label: SET_POINTS, value: (entry.boost ?? 0) - placeFirst(entry) },
    { label: triedAgain(entry.retries), value: entry.retries * weights.retry },
  ];
  return parts.filter((part) => part.value !== 0);
}

/** Runs of versions without priorities have no weight for them. */
const pointsOf = (priority: Priority | undefined, { priority: weight = 0 }: Weights): number =>
  (priority?.steps ?? 0) * weight;

/** The sum alone; called whenever an idea enters the ready pool. */
export function score(entry: IdeaEntry, graph: Graph, weights: Weights): number {
  const { id, tags, priority } = entry.card;
  const siblings = graph.siblings(id);
  return (
    graph.unblocks(id) * weights.unblocks +
    (tags?.includes('critical') ? weights.critical : 0) +
    (tags?.includes('quick-win') ? weights.quickWin : 0) +
    pointsOf(priority, weights) +
    (siblings && siblings.done > siblings.total / 2 ? weights.nearComplete : 0) +
    (entry.boost ?? 0) +
    entry.retries * weights.retry
  );
}

/** Ready ideas, best first. */
export function rankReady(graph: Graph, weights: Weights): string[] {
  return scored(graph, weights)
    .sort((a, b) => (isBefore(a, b) ? -1 : 1))
    .map((one) => one.id);
}

/** The `most` best ready ideas, in order, without sorting all of them. */
export function bestReady(graph: Graph, weights: Weights, most: number): string[] {
  const best: Scored[] = [];
  for (const one of scored(graph, weights)) {
    const last = best.at(-1);
    if (best.length === most && last && !isBefore(one, last)) continue;
    const at = best.findIndex((other) => isBefore(one, other));
    best.splice(at < 0 ? best.length : at, 0, one);
    if (best.length > most) best.pop();
  }
  return best.map((one) => one.id);
}

/** Place among the ready ideas, 1-based; undefined when it is not ready. */
export function rankOf(id: string, graph: Graph, weights: Weights): number | undefined {
  if (!graph.isReady(id)) return undefined;
  const all = scored(graph, weights);
  const own = all.find((one) => one.id === id);
  return own && all.filter((one) => isBefore(one, own)).length + 1;
}

interface Scored {
  id: string;
  value: number;
  order: number;
}

const isBefore = (a: Scored, b: Scored): boolean => a.value > b.value || (a.value === b.value && a.order < b.order);

function scored(graph: Graph, weights: Weights): Scored[] {
  const all: Scored[] = [];
  for (const id of graph.ready()) {
    const entry = graph.entry(id);
    if (entry) all.push({ id, value: score(entry, graph, weights), order: graph.order(id) });
  }
  return all;
}
