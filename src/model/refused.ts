/**
 * The last rollback of a landed idea that was refused, as long as nothing has moved since: the same command would have
 * the same answer. Pure.
 */
import type { IdeaModel, RunModel } from './model.js';

export interface Refused {
  at: number;
  text: string;
}

export function refusedRollback({ ideas }: Pick<RunModel, 'ideas'>, id: string): Refused | undefined {
  const idea = ideas.get(id);
  if (!idea) return undefined;
  const last = lastRefused(idea);
  if (!last) return undefined;
  for (const other of ideas.values()) if (movedTarget(other) > last.at) return undefined;
  return last;
}

function lastRefused({ id, moments, said }: IdeaModel): Refused | undefined {
  const closed = moments.findLast(({ kind, text }) => kind === 'refused' && text.startsWith(ROLLBACK));
  const open = said.findLast(({ verb, done }) => verb === 'rollback' && done?.startsWith(`${id} stays landed`));
  if (open && open.at > (closed?.at ?? 0)) return { at: open.at, text: open.done ?? '' };
  return closed && { at: closed.at, text: closed.text.slice(ROLLBACK.length) };
}

const ROLLBACK = 'rollback: ';

/** When the target last moved for this idea; 0: never. */
function movedTarget({ id, landedAs, moments, said }: IdeaModel): number {
  const off = moments.findLast(({ kind }) => kind === 'reverted')?.at ?? 0;
  const back = said.findLast(
    ({ verb, done }) => verb === 'rollback' && done !== undefined && done.startsWith(`${id} was taken off`),
  );
  return Math.max(landedAs?.at ?? 0, off, back?.at ?? 0);
}
