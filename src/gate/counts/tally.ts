/** Adding up test counts. Pure. */
import type { TestCounts } from '../../protocol/gate.js';

/** Reads lines without escape sequences, each at most {@link MAX_LINE} characters; undefined: not this runner's output. */
export type LineParser = (lines: readonly string[]) => TestCounts | undefined;

export const MAX_LINE = 2000;

export const counts = (passed: number, failed: number, skipped: number): TestCounts => ({
  passed,
  failed,
  skipped,
  total: passed + failed + skipped,
});

export function sum(all: ReadonlyArray<TestCounts | undefined>): TestCounts | undefined {
  const known = all.filter((one) => one !== undefined);
  if (known.length === 0) return undefined;
  const add = (key: keyof TestCounts): number => known.reduce((total, one) => total + one[key], 0);
  return counts(add('passed'), add('failed'), add('skipped'));
}

/** `3 passed` → `['passed', 3]`, for a list of pieces; undefined when one is not of that form. */
export function pieces(list: readonly string[]): Map<string, number> | undefined {
  const found = new Map<string, number>();
  for (const piece of list) {
    const parts = /^(\d{1,9}) ([a-z]+)$/.exec(piece.trim());
    if (!parts?.[1] || !parts[2]) return undefined;
    found.set(parts[2], (found.get(parts[2]) ?? 0) + Number(parts[1]));
  }
  return found;
}
