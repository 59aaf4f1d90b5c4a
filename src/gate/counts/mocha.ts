/** mocha: `2 passing (4ms)`, then maybe `1 pending` and `1 failing`. Pure. */
import type { TestCounts } from '../../protocol/gate.js';
import { counts, type LineParser, sum } from './tally.js';

export const mocha: LineParser = (lines) => {
  const runs: TestCounts[] = [];
  lines.forEach((line, at) => {
    const passing = /^ {2}(\d{1,9}) passing \([0-9]+(?:ms|s|m|h)\)$/.exec(line)?.[1];
    if (passing === undefined) return;
    const next = (word: string): number => {
      for (const after of lines.slice(at + 1, at + 3)) {
        const found = new RegExp(`^ {2}(\\d{1,9}) ${word}$`).exec(after)?.[1];
        if (found !== undefined) return Number(found);
      }
      return 0;
    };
    runs.push(counts(Number(passing), next('failing'), next('pending')));
  });
  return sum(runs);
};
