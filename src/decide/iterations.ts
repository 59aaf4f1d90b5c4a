/** Iteration statistics (A8): counts and durations that add up. May import protocol types only. */
import type { IterationStats } from '../protocol/run.js';

export const noIterations = (): IterationStats => ({ count: 0, totalMs: 0, minMs: 0, maxMs: 0 });

export function addIteration(stats: IterationStats, durationMs: number): IterationStats {
  return addStats(stats, { count: 1, totalMs: durationMs, minMs: durationMs, maxMs: durationMs });
}

export function addStats(a: IterationStats, b: IterationStats): IterationStats {
  if (a.count === 0) return b;
  if (b.count === 0) return a;
  return {
    count: a.count + b.count,
    totalMs: a.totalMs + b.totalMs,
    minMs: Math.min(a.minMs, b.minMs),
    maxMs: Math.max(a.maxMs, b.maxMs),
  };
}
