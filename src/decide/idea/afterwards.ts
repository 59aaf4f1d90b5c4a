/**
 * What follows once the workflow of an idea has ended, because a person asked for it.
 * Invariant: each of it happens once, and only when no workflow of the idea is open. May import protocol and decide only.
 */
import type { IdeaVerb, Intervention } from '../../protocol/command.js';
import type { Afterwards, IdeaEntry } from '../../protocol/run.js';
import type { Board } from '../run/board.js';
import { splitProblem } from '../run/enqueue.js';
import { clip, clipReason, MAX_REASON } from '../text.js';

export function endSays(board: Board, { card: { id }, status }: IdeaEntry, then: Afterwards['do']): string {
  const ends = status === 'running' ? 'its running iteration ends first' : 'no iteration of it is running';
  if (then === 'hold' && isLast(board)) return `${id} stops: ${ends}, and its work is kept. ${goesOnWith(board, id)}`;
  if (then === 'hold') return `${id} stops: ${ends}, then it waits and keeps its work. ${goesOnWith(board, id)}`;
  return `${id} is being ended; then: ${AFTER_SAYS[then]}`;
}

/** What starts a stopped idea again. */
export const goesOnWith = (board: Board, id: string): string =>
  isLast(board)
    ? `Nothing else is left to do, so the run ends then. The next one starts ${id} again: ralphctl start`
    : `Resume it in this run with: ralphctl resume ${id}. The next run starts it again`;

/** The run has no other idea that is open or can start. */
const isLast = ({ state, openCount, graph }: Board): boolean =>
  state.run === 'running' && openCount === 1 && graph.readyCount === 0;

const AFTER_SAYS: Record<Exclude<Afterwards['do'], 'hold'>, string> = {
  skip: 'skipped in this run',
  abandon: 'abandoned; branch and worktree are kept',
  rollback: 'rolled back, and pending',
  split: 'replaced by its parts',
};

const AFTER: Partial<Record<IdeaVerb, Afterwards['do']>> = {
  stop: 'hold',
  skip: 'skip',
  abandon: 'abandon',
  rollback: 'rollback',
  split: 'split',
};

export function afterwards({ verb, reason, cards }: Intervention & { verb: IdeaVerb }): Afterwards {
  return { do: AFTER[verb] ?? 'hold', reason: reason || undefined, cards };
}

/** What a person asked for, now that the workflow of the idea has ended. */
export function followUp(board: Board, entry: IdeaEntry, after: Afterwards): void {
  const { reason } = after;
  switch (after.do) {
    case 'hold':
      entry.hold = true;
      entry.reason = clip(reason ?? 'stopped by a person', MAX_REASON);
      board.set(entry, 'pending');
      return;
    case 'skip':
    case 'abandon':
      markOver(board, entry, after.do === 'skip' ? 'skipped' : 'abandoned', reason);
      return;
    case 'rollback':
      board.set(entry, 'pending');
      entry.reverting = true;
      gitTask(board, entry, 'rollback');
      return;
    case 'split': {
      const { cards = [] } = after;
      // Other ideas may have taken the ids since the request.
      const problem = splitProblem(board, entry, cards);
      if (problem === undefined) {
        board.divide(entry, cards);
        return;
      }
      entry.hold = true;
      entry.reason = clipReason(`could not be split: ${problem}`);
      board.set(entry, 'pending');
      return;
    }
  }
}

export function markOver(
  board: Board,
  entry: IdeaEntry,
  status: 'skipped' | 'abandoned',
  reason: string | undefined,
): void {
  delete entry.hold;
  // Every view puts the status before it.
  entry.reason = clip(reason ?? 'by a person', MAX_REASON);
  board.set(entry, status);
}

export function gitTask(board: Board, entry: IdeaEntry, what: 'rollback' | 'cleanup', force?: boolean): void {
  entry.busy = what;
  board.touch(entry);
  board.outbox.push({ do: 'git-task', idea: entry.card.id, task: what, force: force || undefined });
}
