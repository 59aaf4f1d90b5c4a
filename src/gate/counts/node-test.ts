/** node:test, both reporters: `ℹ tests 6` or `# tests 6`, then `pass`, `fail`, `cancelled`, `skipped`, `todo`. Pure. */
import type { TestCounts } from '../../protocol/gate.js';
import { counts, type LineParser, sum } from './tally.js';

const KEYS = new Set(['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo']);

export const nodeTest: LineParser = (lines) => {
  const runs: TestCounts[] = [];
  let block = new Map<string, number>();
  const close = (): void => {
    const n = (key: string): number => block.get(key) ?? 0;
    if (block.has('tests') && block.has('pass') && block.has('fail'))
      runs.push(counts(n('pass'), n('fail') + n('cancelled'), n('skipped') + n('todo')));
    block = new Map();
  };
  for (const line of lines) {
    const found = /^(?:ℹ|#) ([a-z]{4,9}) (\d{1,9})$/.exec(line);
    if (!found?.[1] || !KEYS.has(found[1])) continue;
    if (found[1] === 'tests') close();
    block.set(found[1], Number(found[2]));
  }
  close();
  return sum(runs);
};
