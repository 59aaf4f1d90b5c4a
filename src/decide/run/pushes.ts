/** The end of a push of the target. May import protocol and decide only. */
import type { PushTargetResult } from '../../protocol/delivery.js';
import { endPush } from '../delivery/push.js';
import type { Board } from './board.js';

/** Ideas that landed again have another commit. */
export function notePush(board: Board, result: PushTargetResult, now: number): void {
  const { delivery } = board.settings;
  // A push that has no result may have arrived: the next try tells of its commits.
  if (result.kind === 'pushed' || result.cause !== 'failed') board.state.pushes = (board.state.pushes ?? 0) + 1;
  if (delivery) endPush(board.state, delivery, result, now);
  for (const { idea, commit } of result.replaced ?? []) {
    const entry = board.graph.entry(idea);
    if (entry?.status !== 'landed' || !entry.commit) continue;
    entry.commit = commit;
    board.touch(entry);
  }
}
