/**
 * The order in which a run would start its ideas, if each landed: in rounds of those that are ready together. A dry run,
 * and what is next after a run, both show it.
 * May import protocol and decide only.
 */
import type { Weights } from '../../protocol/run-settings.js';
import type { ScorePart } from '../../protocol/views.js';
import type { Graph } from './graph.js';
import { placeFirst, rankReady, score, scoreParts } from './score.js';

export interface Placed {
  id: string;
  /** 1-based. */
  round: number;
  /** When its round begins. */
  score: number;
  parts: ScorePart[];
  /** A person put it first: that much of its score. */
  first: number;
}

/** Lands every idea in the graph, so the graph is of no further use. */
export function rounds(graph: Graph, weights: Weights): Placed[] {
  const order: Placed[] = [];
  for (let round = 1; graph.readyCount > 0; round++) {
    const ready = rankReady(graph, weights);
    for (const id of ready) {
      const entry = graph.entry(id);
      if (entry)
        order.push({
          ...{ id, round, score: score(entry, graph, weights), parts: scoreParts(entry, graph, weights) },
          first: placeFirst(entry),
        });
    }
    for (const id of ready) {
      const entry = graph.entry(id);
      if (entry) entry.status = 'landed';
      graph.markDone(id);
    }
  }
  return order;
}
