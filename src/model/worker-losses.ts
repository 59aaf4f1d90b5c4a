/**
 * When a run lost its worker, from the waits of its ideas: each idea whose agent or gate ran then tells it for itself,
 * some of them later than others. Pure.
 */

/** One loss of the worker, as far as the ideas tell it. */
export interface WorkerLoss {
  /** The first and the last idea that told it, epoch ms. */
  from: number;
  to: number;
  ideas: string[];
}

/** What the server notices of one loss comes within this time, ms. */
const TOGETHER_MS = 2 * 60_000;

/** A repeated event changes nothing. */
export function withLoss(losses: readonly WorkerLoss[], idea: string, at: number): WorkerLoss[] {
  const last = losses.at(-1);
  if (!last || at - last.to > TOGETHER_MS) return [...losses, { from: at, to: at, ideas: [idea] }];
  if (!last.ideas.includes(idea))
    return [...losses.slice(0, -1), { ...last, to: Math.max(last.to, at), ideas: [...last.ideas, idea] }];
  // One idea loses a worker once at a time.
  return at <= last.to ? [...losses] : [...losses, { from: at, to: at, ideas: [idea] }];
}
