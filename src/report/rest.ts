/** The ideas of a report that have not landed and have no task of their own, in the parts of its head. Pure. */
import type { OpenIdea, Report, Todo } from './schema.js';

export interface Rest {
  title: 'Not landed' | 'Also not landed' | 'Left out';
  ideas: OpenIdea[];
}

/** Without empty parts. `todo`: the tasks that the view shows. */
export function restOf({ open }: Pick<Report, 'open'>, todo: readonly Todo[]): Rest[] {
  const tasks = new Set(todo.map(({ idea }) => idea));
  const rest = open.filter(({ idea }) => !tasks.has(idea));
  const named = todo.some(({ idea }) => idea !== undefined);
  const parts: Rest[] = [
    { title: named ? 'Also not landed' : 'Not landed', ideas: rest.filter(({ leftOut }) => !leftOut) },
    { title: 'Left out', ideas: rest.filter(({ leftOut }) => leftOut) },
  ];
  return parts.filter(({ ideas }) => ideas.length > 0);
}
