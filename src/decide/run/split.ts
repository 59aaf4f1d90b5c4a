/**
 * Replaces an idea by smaller ones (C3). It becomes a group with its parts as children, so that its dependents wait for
 * all of them.
 * May import protocol and decide only.
 */
import type { IdeaCard } from '../../protocol/idea.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { Graph } from '../scheduler/graph.js';
import { type Board, groupOf } from './board.js';
import { enqueueProblem } from './enqueue.js';

export function splitProblem(
  board: Board,
  entry: IdeaEntry,
  cards: readonly IdeaCard[] | undefined,
): string | undefined {
  const { id } = entry.card;
  if (!Array.isArray(cards) || cards.length === 0) return `split ${id} needs the ideas that replace it`;
  const stray = (cards as IdeaCard[]).find((card) => card?.parent !== id);
  if (stray) return `${String(stray?.id)} does not name ${id} as its parent`;
  // The later shape: by then the idea is a group.
  const entries = board.state.entries.map((one) => (one === entry ? { ...one, card: groupOf(one.card) } : one));
  return enqueueProblem(new Graph(entries), cards);
}
