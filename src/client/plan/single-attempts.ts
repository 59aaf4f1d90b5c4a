/** Warns of ideas with a single attempt, among those that the run would work on. */
import type { Idea } from '../../protocol/idea.js';
import { named } from '../../report/look.js';
import { keptForNext, leftOutOf } from '../../run-files/kept.js';
import { needNoWork } from '../../run-files/ticks.js';
import { many } from '../views/live-lines.js';

export async function onceWarning(
  { root, project }: { root: string; project: string },
  ideas: readonly Idea[],
  again: readonly string[],
  landed: () => Promise<ReadonlySet<string>>,
): Promise<string[]> {
  // Only such an idea makes it worth reading the target.
  if (!ideas.some(({ ralph, blue, done }) => !ralph && !blue && !done)) return [];
  const over = new Set(needNoWork(ideas, await landed(), again));
  const ids = ideas.filter(({ id, blue }) => !blue && !over.has(id)).map(({ id }) => id);
  const left = new Set(leftOutOf(await keptForNext(root, project), ids, again));
  const todo = ideas.filter(({ id, blue }) => !blue && !over.has(id) && !left.has(id));
  const once = todo.filter(({ ralph }) => !ralph).map(({ id }) => id);
  if (once.length === 0) return [];
  const [get, lack] = once.length === 1 ? ['gets', 'it lacks'] : ['get', 'they lack'];
  return [
    `${once.length} of ${many(todo.length, 'idea')} ${get} a single attempt, because ${lack} "ralph: true": ${named(once)}`,
  ];
}
