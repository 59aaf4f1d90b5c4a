/**
 * Checks ideas that a person adds to an open run (the `enqueue` update). They come from outside, so every field is
 * checked.
 * May import protocol and decide only.
 */
import { IDEA_ID, type IdeaCard, MAX_CARD_TITLE } from '../../protocol/idea.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { findCycle, Graph } from '../scheduler/graph.js';
import { type Board, groupOf } from './board.js';

/** Why the ideas are refused, in one sentence; undefined when they are valid. */
export function enqueueProblem(graph: Graph, cards: readonly IdeaCard[]): string | undefined {
  if (cards.length === 0) return 'no ideas were given';
  const added = new Map<string, IdeaCard>();
  for (const card of cards) {
    const problem = shapeProblem(card);
    if (problem) return problem;
    if (added.has(card.id) || graph.entry(card.id)) return `there is already an idea ${card.id}`;
    added.set(card.id, card);
  }
  const find = (id: string): IdeaCard | undefined => added.get(id) ?? graph.entry(id)?.card;
  for (const { id, dependsOn = [], parent } of cards) {
    const unknown = [...dependsOn, ...(parent ? [parent] : [])].find((other) => !find(other));
    if (unknown !== undefined) return `${id} names ${unknown}, which does not exist`;
    if (parent && !find(parent)?.blue) return `${id} names ${parent} as its parent, which is not an epic`;
  }
  return cycleProblem(graph, added, find);
}

function shapeProblem(card: unknown): string | undefined {
  if (typeof card !== 'object' || card === null || !('id' in card)) return 'every idea needs an id and a title';
  const { id, title, dependsOn, tags, parent, blue } = card as Record<keyof IdeaCard, unknown>;
  if (typeof id !== 'string' || !IDEA_ID.test(id)) return `${JSON.stringify(id)} is not a valid idea id`;
  if (typeof title !== 'string' || title.trim() === '') return `${id} has no title`;
  if (title.length > MAX_CARD_TITLE) return `the title of ${id} is longer than ${MAX_CARD_TITLE} characters`;
  if (!isTextList(dependsOn)) return `dependsOn of ${id} is not a list of idea ids`;
  if (!isTextList(tags)) return `tags of ${id} is not a list of texts`;
  if (parent !== undefined && typeof parent !== 'string') return `parent of ${id} is not an idea id`;
  if (blue !== undefined && blue !== true)
    return `\`blue\` of ${id} (whether it is an epic) is either true or left out`;
  return undefined;
}

const isTextList = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));

/**
 * A start and an end are two events. An idea starts after all its dependencies are done and its parent may start; a
 * Blue is done after its children are. A cycle among these events would wait for ever.
 */
function cycleProblem(
  graph: Graph,
  added: ReadonlyMap<string, IdeaCard>,
  find: (id: string) => IdeaCard | undefined,
): string | undefined {
  const newChildren = new Map<string, string[]>();
  for (const { id, parent } of added.values()) {
    if (!parent) continue;
    const siblings = newChildren.get(parent);
    if (siblings) siblings.push(id);
    else newChildren.set(parent, [id]);
  }
  const waitsFor = (event: string): string[] => {
    const id = event.slice(event.indexOf(':') + 1);
    if (graph.isMarked(id)) return [];
    if (event.startsWith('done:')) {
      const children = [...graph.children(id), ...(newChildren.get(id) ?? [])];
      return [`start:${id}`, ...children.map((child) => `done:${child}`)];
    }
    const { dependsOn = [], parent } = find(id) ?? {};
    return [...dependsOn.map((dep) => `done:${dep}`), ...(parent ? [`start:${parent}`] : [])];
  };
  const cycle = findCycle(
    [...added.keys()].map((id) => `done:${id}`),
    waitsFor,
  );
  if (!cycle) return undefined;
  const ids = cycle.map((event) => event.slice(event.indexOf(':') + 1));
  const path = ids.filter((id, at) => at === 0 || id !== ids[at - 1]);
  return `${(path.length === 1 ? [...path, ...path] : path).join(' -> ')} is a cycle`;
}

/*
 * Replaces an idea by smaller ones (C3). It becomes a group with its parts as children, so that its dependents wait for
 * all of them.
 * May import protocol and decide only.
 */

export function splitProblem(
  board: Board,
  entry: IdeaEntry,
  cards: readonly IdeaCard[] | undefined,
): string | undefined {
  const { id } = entry.card;
  if (!Array.isArray(cards) || cards.length === 0) return `split ${id} needs the ideas that replace it`;
  const foreign = (cards as IdeaCard[]).find((card) => card?.parent !== id);
  if (foreign) return `${String(foreign?.id)} does not name ${id} as its parent`;
  // The later shape: by then the idea is a group.
  const entries = board.state.entries.map((one) => (one === entry ? { ...one, card: groupOf(one.card) } : one));
  return enqueueProblem(new Graph(entries), cards);
}
