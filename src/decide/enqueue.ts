/** Checks ideas that are added to a running run (the `enqueue` update). May import protocol and decide only. */
import { IDEA_ID, type IdeaCard } from '../protocol/idea.js';
import type { Graph } from './graph.js';

/** Why the cards cannot be taken in, in one sentence, or undefined when they can. */
export function enqueueProblem(graph: Graph, cards: readonly IdeaCard[]): string | undefined {
  if (cards.length === 0) return 'no ideas were given';
  const added = new Map<string, IdeaCard>();
  for (const card of cards) {
    if (!IDEA_ID.test(card.id)) return `"${card.id}" is not a valid idea id`;
    if (added.has(card.id) || graph.entry(card.id)) return `there is already an idea ${card.id}`;
    added.set(card.id, card);
  }
  for (const card of cards) {
    for (const other of [...(card.dependsOn ?? []), ...(card.parent ? [card.parent] : [])]) {
      if (!added.has(other) && !graph.entry(other)) return `${card.id} names ${other}, which does not exist`;
    }
  }
  return cyclePath(added);
}

function cyclePath(cards: ReadonlyMap<string, IdeaCard>): string | undefined {
  const done = new Set<string>();
  const visit = (id: string, path: string[]): string | undefined => {
    if (path.includes(id)) return `${[...path.slice(path.indexOf(id)), id].join(' -> ')} is a cycle`;
    const card = cards.get(id);
    if (!card || done.has(id)) return undefined;
    for (const dep of card.dependsOn ?? []) {
      const found = visit(dep, [...path, id]);
      if (found) return found;
    }
    done.add(id);
    return undefined;
  };
  for (const id of cards.keys()) {
    const found = visit(id, []);
    if (found) return found;
  }
  return undefined;
}
