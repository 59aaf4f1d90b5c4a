/**
 * Ideas whose landed work has left the target, and which a person has queued again: the next start runs them as if
 * `--again` named them.
 * Invariant: reads only. What is on the target again does not run, whatever was said before.
 */
import type { Idea } from '../../protocol/idea.js';
import { askedFor, keptForNext } from '../../run-files/kept.js';
import { type Place, targetNow } from '../report/gone.js';

export async function wantedAgain(
  { root, project }: { root: string; project: string },
  place: Place,
  ideas: readonly Idea[],
): Promise<string[]> {
  const queued = new Set((await keptForNext(root, project)).flatMap((one) => (askedFor(one).queued ? [one.idea] : [])));
  const asked = ideas.filter(({ id, blue }) => !blue && queued.has(id));
  if (asked.length === 0) return [];
  const { gone } = await targetNow(place, new Map(), { whole: true, others: asked.map(({ id }) => id) });
  // The others run anyway.
  return asked.flatMap(({ id, done }) => (gone.get(id)?.stays || (done && gone.has(id)) ? [id] : []));
}
