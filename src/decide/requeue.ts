/** An idea that is over starts again (C2, C3, C4). May import protocol and decide only. */
import type { IdeaEntry } from '../protocol/run.js';
import type { Board } from './board.js';

/** `counted`: it goes on counting iterations where it was. */
export function requeue(board: Board, entry: IdeaEntry, counted = false): void {
  entry.retries += 1;
  delete entry.hold;
  delete entry.reason;
  delete entry.commit;
  if (!counted) delete entry.keepCount;
  board.set(entry, 'pending');
}
