/**
 * The tests of a gate command, and losses between two runs of it.
 * Invariant: a test with only another place, or another number or address in its name, is not lost. Where names cannot
 * be compared, counts are. Pure.
 */
import type { TestCounts } from '../../protocol/gate.js';
import type { Names } from './names.js';

/** `names`: by runner; absent where there were too many, or the output was cut. */
export interface Tested {
  counts: TestCounts;
  names?: Record<string, Names>;
}

export interface Lost {
  /** No test ran, where some did before. */
  nothing: boolean;
  gone: string[];
  skipped: string[];
  /** Fewer tests passed than before, without a name for the missing ones. */
  fewer?: { before: number; now: number };
  /** More were skipped than before, without a name for them. */
  moreSkipped?: number;
}

const NONE: TestCounts = { passed: 0, failed: 0, skipped: 0, total: 0 };

/** Tests that passed `before` and no longer pass. */
export function lostTests(before: Tested, now: Tested | undefined): Lost {
  const lost: Lost = { nothing: false, gone: [], skipped: [] };
  const counts = now?.counts ?? NONE;
  if (before.counts.passed === 0) return lost;
  if (counts.total === 0) return { ...lost, nothing: true };
  for (const [runner, names] of Object.entries(before.names ?? {})) {
    const later = now?.names?.[runner];
    if (!later) continue;
    const { missing, skipped } = compare(names, later);
    lost.gone.push(...missing);
    lost.skipped.push(...skipped);
  }
  const fewer = before.counts.passed - counts.passed;
  if (lost.gone.length + lost.skipped.length > 0 || fewer <= 0) return lost;
  const moreSkipped = Math.min(fewer, Math.max(0, counts.skipped - before.counts.skipped));
  return {
    ...lost,
    ...(fewer > moreSkipped ? { fewer: { before: before.counts.passed, now: counts.passed } } : {}),
    ...(moreSkipped > 0 ? { moreSkipped } : {}),
  };
}

function compare(before: Names, now: Names): { missing: string[]; skipped: string[] } {
  const passed = without(before.passed, now.passed);
  // Already skipped tests say nothing about the passed ones.
  const newlySkipped = without(now.skipped, before.skipped).left;
  const skips = without(passed.left, newlySkipped);
  const moved = without(skips.left.map(leaf), passed.spare.map(leaf));
  const still = tally(moved.left);
  const missing = skips.left.filter((name) => take(still, leaf(name)));
  return { missing: unique(missing), skipped: unique(skips.taken) };
}

/** Entries of `all` that are not in `others`, those that are, and the rest of `others`; each as often as it occurs. */
function without(
  all: readonly string[],
  others: readonly string[],
): { left: string[]; taken: string[]; spare: string[] } {
  const there = tally(others);
  const left: string[] = [];
  const taken: string[] = [];
  for (const name of all) (take(there, name) ? taken : left).push(name);
  const spare = [...there].flatMap(([name, count]) => Array.from({ length: count }, () => name));
  return { left, taken, spare };
}

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, name: string): boolean {
  const count = counts.get(name) ?? 0;
  if (count > 0) counts.set(name, count - 1);
  return count > 0;
}

/** A name without its place, and without parts that may differ each time. */
const leaf = (name: string): string =>
  name
    .replace(/^.*(?:::| > |\/)(?=.)/, '')
    .replace(/0x[0-9a-f]+|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '#')
    .replace(/\d+/g, '#');

const unique = (names: readonly string[]): string[] => [...new Set(names)].sort();
