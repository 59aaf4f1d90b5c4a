/** Which ideas of a run need no work: ticked, or on the target; unless a person wants them again. Pure. */
import type { Idea } from '../protocol/idea.js';

export function needNoWork(
  ideas: Iterable<Idea>,
  onTarget: ReadonlySet<string>,
  again: readonly string[] = [],
): string[] {
  return [...ideas].filter(({ id, done }) => !again.includes(id) && (done || onTarget.has(id))).map(({ id }) => id);
}
