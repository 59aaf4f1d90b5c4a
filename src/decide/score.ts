/**
 * Which ready idea comes next (A2): a sum of named parts, highest first, backlog order on ties.
 * May import protocol and decide only.
 */
import type { IdeaEntry } from '../protocol/run.js';
import type { Weights } from '../protocol/run-settings.js';
import type { ScorePart } from '../protocol/views.js';
import type { Graph } from './graph.js';

/** The sum as parts, in the order they are explained to a person. Parts worth nothing are left out. */
export function scoreParts(entry: IdeaEntry, graph: Graph, weights: Weights): ScorePart[] {
  const { id, tags = [] } = entry.card;
  const unblocks = graph.unblocks(id);
  const siblings = graph.siblings(id);
  const parts: ScorePart[] = [
    { label: `unblocks ${unblocks} ${unblocks === 1 ? 'idea' : 'ideas'}`, value: unblocks * weights.unblocks },
    { label: 'tag critical', value: tags.includes('critical') ? weights.critical : 0 },
    { label: 'tag quick-win', value: tags.includes('quick-win') ? weights.quickWin : 0 },
    {
      label: siblings ? `parent ${siblings.done}/${siblings.total} done` : 'parent',
      value: siblings && siblings.done > siblings.total / 2 ? weights.nearComplete : 0,
    },
    { label: 'set by a person', value: entry.boost ?? 0 },
    { label: `${entry.retries} ${entry.retries === 1 ? 'retry' : 'retries'}`, value: entry.retries * weights.retry },
  ];
  return parts.filter((part) => part.value !== 0);
}

/** Same sum without the words; called whenever an idea enters the ready pool. */
export function score(entry: IdeaEntry, graph: Graph, weights: Weights): number {
  const { id, tags } = entry.card;
  const siblings = graph.siblings(id);
  return (
    graph.unblocks(id) * weights.unblocks +
    (tags?.includes('critical') ? weights.critical : 0) +
    (tags?.includes('quick-win') ? weights.quickWin : 0) +
    (siblings && siblings.done > siblings.total / 2 ? weights.nearComplete : 0) +
    (entry.boost ?? 0) +
    entry.retries * weights.retry
  );
}

/** Ready ideas, best first. */
export function rankReady(graph: Graph, weights: Weights): string[] {
  const scored: { id: string; value: number }[] = [];
  for (const id of graph.ready()) {
    const entry = graph.entry(id);
    if (entry) scored.push({ id, value: score(entry, graph, weights) });
  }
  scored.sort((a, b) => b.value - a.value || graph.order(a.id) - graph.order(b.id));
  return scored.map((one) => one.id);
}
