/** vitest: `      Tests  1 failed | 2 passed | 1 skipped | 1 todo (5)`. Pure. */
import { counts, type LineParser, pieces, sum } from './tally.js';

export const vitest: LineParser = (lines) =>
  sum(
    lines.map((line) => {
      const found = /^\s{0,12}Tests {1,4}(\d[^()]{0,200}) \(\d+\)$/.exec(line)?.[1];
      const parts = found === undefined ? undefined : pieces(found.split('|'));
      if (!parts) return undefined;
      const n = (key: string): number => parts.get(key) ?? 0;
      return counts(n('passed'), n('failed'), n('skipped') + n('todo'));
    }),
  );
