/** Puts an idea before all that are ready (A2). May import protocol and decide only. */
import type { IdeaEntry } from '../protocol/run.js';
import type { Board } from './board.js';
import { bestReady, score } from './score.js';

export function putFirst(board: Board, entry: IdeaEntry): void {
  const { graph, settings } = board;
  const first = bestReady(graph, settings.weights, 2).find((id) => id !== entry.card.id);
  const best = first === undefined ? undefined : graph.entry(first);
  const own = score(entry, graph, settings.weights) - (entry.boost ?? 0);
  const needed = best ? score(best, graph, settings.weights) - own + 1 : 1;
  entry.boost = Math.max(needed, entry.boost ?? 0);
}
