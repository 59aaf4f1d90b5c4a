import type { IterationStats } from '../protocol/states.js';
import type { IdeaLine, IdeaView, RunStatistics } from '../protocol/views.js';

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

/**
 * Statistics with the iterations that running ideas have not reported yet: they report only when they wait or end, so
 * that a run of thousands of iterations stays a short history.
 */
export function withUnreported(
  statistics: RunStatistics,
  lines: readonly IdeaLine[],
  views: readonly IdeaView[],
): RunStatistics {
  const reported = new Map(lines.map((line) => [line.id, line.iterations]));
  const { total, averageMs, fastestMs, slowestMs } = statistics.iterations;
  let all: IterationStats = { count: total, totalMs: averageMs * total, minMs: fastestMs, maxMs: slowestMs };
  for (const { idea, iterations } of views) {
    if (!iterations) continue;
    const known = reported.get(idea) ?? noIterations();
    const count = iterations.count - known.count;
    if (count > 0) all = addStats(all, { ...iterations, count, totalMs: iterations.totalMs - known.totalMs });
  }
  const iterations = {
    total: all.count,
    averageMs: all.count === 0 ? 0 : Math.round(all.totalMs / all.count),
    fastestMs: all.minMs,
    slowestMs: all.maxMs,
  };
  return { ...statistics, iterations };
}
