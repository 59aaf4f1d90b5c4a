/**
 * How many tests passed, read from what a gate command printed.
 * Invariant: never throws and takes time linear in the text, whatever it says. Pure.
 */
import type { TestCounts } from '../../protocol/gate.js';
import { cargo } from './cargo.js';
import { goTest } from './go-test.js';
import { jest } from './jest.js';
import { junit } from './junit.js';
import { mocha } from './mocha.js';
import { nodeTest } from './node-test.js';
import { pytest } from './pytest.js';
import { type LineParser, MAX_LINE, sum } from './tally.js';
import { tap } from './tap.js';
import { vitest } from './vitest.js';

/** Each knows an unmistakable summary, so a command that runs several runners is added up. */
const SUMMARIES: readonly LineParser[] = [vitest, jest, mocha, nodeTest, pytest, goTest, cargo];

/** Counts of every summary in the text, which must be free of escape sequences; undefined when there is none. */
export function countTests(text: string): TestCounts | undefined {
  const lines = text
    .split('\n')
    .map((line) => (line.length > MAX_LINE && !line.startsWith('{"') ? line.slice(0, MAX_LINE) : line));
  return sum(SUMMARIES.map((parse) => parse(lines))) ?? tap(lines) ?? junit(text);
}
