/** Warns of ideas with a single attempt, among those that the run would work on. */
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { Idea } from '../../protocol/idea.js';
import { named } from '../../report/look.js';
import { keptForNext, leftOutOf } from '../../run-files/kept.js';
import { needNoWork } from '../../run-files/ticks.js';
import { many } from '../views/live-lines.js';

export async function onceWarning(
  { root, project, format }: { root: string; project: string; format: FormatName },
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
  const one = once.length === 1;
  const { why, fix } = said(format, one);
  return [
    `${once.length} of ${many(todo.length, 'idea')} ${one ? 'gets' : 'get'} a single attempt, because ${one ? 'it' : 'they'} ${why}: ${named(once)}. For more attempts, ${fix}`,
  ];
}

/** A task of a roadmap has a single attempt unless it says otherwise; in every other format, an idea has to ask for it. */
function said(format: FormatName, one: boolean): { why: string; fix: string } {
  if (format === 'roadmap')
    return {
      why: `${one ? 'lacks' : 'lack'} "ralph: true"`,
      fix: `add the line "- ralph: true" below ${one ? 'it' : 'each'}`,
    };
  return { why: `${one ? 'has' : 'have'} "ralph: false"`, fix: 'set "ralph" to true' };
}
