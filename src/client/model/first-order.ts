/**
 * The order in which an open run starts its ideas, until its worker has told it: as a start ranks them.
 * Invariant: reads only.
 */
import type { RunModel } from '../../model/model.js';

/** With more ideas than this, only those that are ready are ranked, and of these the best: the others take a second. */
const MOST = 1000;
/** As many as a screen shows, with slots full of ideas that have begun. */
const BEST = 200;

export async function firstOrder(root: string, model: RunModel): Promise<void> {
  if (model.endedAt !== undefined || model.live) return;
  const { nextOrder, bestNow } = await import('./next-order.js');
  const isLarge = model.order.length > MOST;
  const order = isLarge
    ? await bestNow(root, model, BEST).catch(() => [])
    : (await nextOrder(root, model).catch(() => ({ order: [] }))).order;
  // The worker may have answered meanwhile, or the run ended.
  if (model.live || model.nextOrder || order.length === 0) return;
  model.nextOrder = order;
  model.events += 1;
}
