/**
 * Finished work of an idea that a person paused in its last iteration: it waits outside the landing queue.
 * Invariant: it lands only after a resume. It holds neither a slot nor a place, so nobody waits for it.
 * May import protocol and decide only.
 */
import type { IdeaEntry } from '../../protocol/run.js';
import { clipReason } from '../text.js';
import type { Board } from './board.js';
import { tellIdea } from './control.js';

/** Its work is done. True: it stays paused instead of joining the landing queue. */
export function staysPaused(board: Board, entry: IdeaEntry): boolean {
  if (!entry.pauseAsked || !board.rules('paused-work-waits')) return false;
  board.freeSlot(entry);
  entry.donePaused = true;
  entry.reason = clipReason(`its work is done; it lands once it resumes: ralphctl resume ${entry.card.id}`);
  board.set(entry, 'paused');
  // Nobody resumes it any more: the work stays on its branch.
  if (board.state.run === 'stopping') tellIdea(board, entry, 'stop');
  return true;
}
