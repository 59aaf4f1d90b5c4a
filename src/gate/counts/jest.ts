/** jest: `Tests:       1 failed, 1 skipped, 1 todo, 2 passed, 5 total`. Pure. */
import { counts, type LineParser, pieces, sum } from './tally.js';

export const jest: LineParser = (lines) =>
  sum(
    lines.map((line) => {
      if (!line.startsWith('Tests:')) return undefined;
      const parts = pieces(line.slice('Tests:'.length).split(','));
      if (!parts?.has('total')) return undefined;
      const n = (key: string): number => parts.get(key) ?? 0;
      return counts(n('passed'), n('failed'), n('skipped') + n('todo') + n('pending'));
    }),
  );
