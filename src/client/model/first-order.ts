/**
 * The order in which an open run starts its ideas, until its worker has told it: as a start ranks them.
 * Invariant: reads only.
 */
import type { RunModel } from '../../model/model.js';

/** To rank more takes longer than the worker takes to answer. */
const MOST = 1000;

export async function firstOrder(root: string, model: RunModel): Promise<void> {
  if (model.endedAt !== undefined || model.live || model.order.length > MOST) return;
  const { nextOrder } = await import('./next-order.js');
  const { order } = await nextOrder(root, model).catch(() => ({ order: [] }));
  // The worker may have answered meanwhile, or the run ended.
  if (model.live || model.nextOrder || order.length === 0) return;
  model.nextOrder = order;
  model.events += 1;
}
