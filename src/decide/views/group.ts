/**
 * A Blue in views: done when its children are (A4), and its open children.
 * Invariant: derived from the graph, because a Blue has no status of its own. Its lists are bounded.
 * May import protocol and decide only.
 */
import type { IdeaEntry } from '../../protocol/run.js';
import type { IdeaStatus } from '../../protocol/states.js';
import type { GroupView } from '../../protocol/views.js';
import type { Graph } from '../scheduler/graph.js';
import { MAX_LISTED } from './survey.js';

/** The displayed status of an entry: a Blue has landed when its children have. */
export const groupStatus = (entry: IdeaEntry, graph: Graph): IdeaStatus => {
  if (!entry.card.blue) return entry.status;
  return graph.isDone(entry.card.id) ? 'landed' : 'pending';
};

/** `2 of 3 ideas in it landed` */
export function groupText(id: string, graph: Graph): string {
  const { done, total } = graph.group(id) ?? { done: 0, total: 0 };
  if (total === 0) return 'there are no ideas in it';
  return `${done} of ${total} ${total === 1 ? 'idea' : 'ideas'} in it landed`;
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
  return entry?.hold && entry.status === 'pending' ? 'held' : (entry?.status ?? 'unknown');
}
