/** Whether the next start finds work of an idea. Pure. */
import type { IdeaModel, Said } from './model.js';

/** What `retry --fresh` says: in the run, and after it with and without work to take back. */
const FRESH = [' starts over on ', ' begins again: ', ' runs it from the beginning'];

const isFresh = ({ verb, done = '' }: Said): boolean => verb === 'retry' && FRESH.some((words) => done.includes(words));

/** A person has taken its work back, and no agent has worked on it since. */
export function beginsAnew({ said, iterations }: Pick<IdeaModel, 'said' | 'iterations'>): boolean {
  const back = said.findLast((one) => one.done !== undefined && (one.verb === 'rollback' || isFresh(one)));
  return back !== undefined && back.at >= (iterations.at(-1)?.startedAt ?? 0);
}
