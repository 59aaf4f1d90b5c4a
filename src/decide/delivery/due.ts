/** Deliveries that begin now, and when the next ones do. Pure; may import protocol and decide only. */
import type { Board } from '../run/board.js';
import type { Effect } from '../run/effects.js';
import { targetLookAt } from '../run/target-busy.js';
import { beginPush, pushWakesAt } from './push.js';
import { beginLooks, forgeWakesAt, lookTimes } from './review.js';

export const beginDeliveries = (board: Board, now: number): Effect[] => [
  ...beginPush(board.state, now),
  ...beginLooks(board, now),
];

/** Times of waits that end, epoch ms. */
export const deliveryTimes = (board: Board): (number | undefined)[] => [
  pushWakesAt(board.state),
  forgeWakesAt(board),
  targetLookAt(board),
  ...lookTimes(board),
];
