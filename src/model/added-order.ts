/**
 * The order of ideas that a person added to an open run: that of their lines in their backlog. Their events come in the order
 * of their starts, and their files in that of their names.
 * Invariant: ideas that the run began with keep their places.
 */
import type { Idea } from '../protocol/idea.js';
import type { RunModel } from './model.js';

export function orderAdded(model: RunModel, ideas: readonly Pick<Idea, 'id' | 'source'>[]): void {
  if (ideas.length === 0) return;
  const all = new Map([...(model.added ?? []), ...ideas.map(({ id, source }) => [id, source] as const)]);
  model.added = all;
  const files = [...new Set([...all.values()].map(({ file }) => file))];
  const inBacklog = [...all]
    .sort(([, a], [, b]) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line)
    .map(([id]) => id);
  inPlace(model.order, inBacklog);
  for (const { children } of model.ideas.values()) if (children.length > 1) inPlace(children, inBacklog);
}

/** Puts the ids of `sorted` into the places that they have together. */
function inPlace(ids: string[], sorted: readonly string[]): void {
  const here = new Set(ids);
  const next = sorted.filter((id) => here.has(id));
  const moves = new Set(next);
  for (const [at, id] of ids.entries()) if (moves.has(id)) ids[at] = next.shift() ?? id;
}
