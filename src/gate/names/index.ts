/**
 * Names of the tests that ran, read from what a gate command printed, by the runner that printed them.
 * Invariant: never throws, takes time linear in the text, whatever it says. A name occurs as often as its test ran. Pure.
 */
import { cargo } from '../counts/cargo.js';
import { goTest } from '../counts/go-test.js';
import { jest } from '../counts/jest.js';
import { mocha } from '../counts/mocha.js';
import { nodeTest } from '../counts/node-test.js';
import { pytest } from '../counts/pytest.js';
import { type LineParser, MAX_LINE } from '../counts/tally.js';
import { tap } from '../counts/tap.js';
import { vitest } from '../counts/vitest.js';
import { goEvent } from './go.js';
import { junitNames } from './junit.js';
import type { Named, Names } from './types.js';
import { vitestFile } from './vitest.js';

type LineReader = (line: string) => Named | Named[] | undefined;

/** More names than this are not kept: counts have to do. */
export const MOST_NAMES = 20_000;
const MAX_NAME = 300;

const WORDS: Readonly<Record<string, Named['kind']>> = {
  PASSED: 'passed',
  XPASS: 'passed',
  PASS: 'passed',
  ok: 'passed',
  '✔': 'passed',
  '✓': 'passed',
  SKIPPED: 'skipped',
  XFAIL: 'skipped',
  SKIP: 'skipped',
  ignored: 'skipped',
  '○': 'skipped',
  '﹣': 'skipped',
  '-': 'skipped',
};
const kindOf = (word: string): Named['kind'] => WORDS[word] ?? 'failed';

/** By a pattern with the groups `name`, `word` and perhaps `aside`, which says that it was skipped. */
const by =
  (pattern: RegExp): LineReader =>
  (line) => {
    const { name, word, aside } = pattern.exec(line)?.groups ?? {};
    if (!name || !word) return undefined;
    return { name, kind: aside ? 'skipped' : kindOf(word) };
  };

const first =
  (...readers: readonly LineReader[]): LineReader =>
  (line) => {
    for (const read of readers) {
      const found = read(line);
      if (found) return found;
    }
    return undefined;
  };

/** A list is read only where its runner's summary stands, too: other programs print ticks as well. */
const RUNNERS: ReadonlyArray<readonly [runner: string, summary: LineParser, read: LineReader]> = [
  ['vitest', vitest, vitestFile],
  ['jest', jest, by(/^ {2,}(?<word>[✓○]) (?:skipped |todo )?(?<name>.+?)(?: \(\d[\d.]* m?s\))?$/)],
  ['jest files', jest, by(/^(?<word>PASS) (?<name>\S.*?)(?: \(\d[\d.]* s\))?$/)],
  ['mocha', mocha, by(/^ {2,}(?<word>[✔✓-]) (?<name>.+?)(?: \(\d+ms\))?$/)],
  ['node', nodeTest, by(/^\s*(?<word>[✔﹣]) (?<name>.+?) \(\d+(?:\.\d+)?ms\)(?<aside> # (?:SKIP|TODO).*)?$/i)],
  [
    'TAP',
    (lines) => tap(lines) ?? nodeTest(lines),
    by(/^\s*(?<word>ok) \d+(?: -)? (?!#)(?<name>.+?)(?: in \d+m?s(?:ec)?)?(?<aside>\s+# (?:skip|todo)\b.*)?$/i),
  ],
  [
    'pytest',
    pytest,
    first(
      by(/^(?<name>\S+::.+?) (?<word>PASSED|SKIPPED|XFAIL|XPASS)\b(?: \(.*\))?\s*(?:\[ *\d+%\])?$/),
      by(/^\[gw\d+\] \[ *\d+%\] (?<word>PASSED|SKIPPED|XFAIL|XPASS) (?<name>\S+::.+?)\s*$/),
    ),
  ],
  ['go', goTest, first(by(/^\s*--- (?<word>PASS|SKIP): (?<name>\S+) \(\d/), goEvent)],
  ['go packages', goTest, by(/^(?<word>ok) {2}\t(?<name>\S+)\t/)],
  ['cargo', cargo, by(/^test (?<name>.+?)(?: - should panic)? \.\.\. (?<word>ok|ignored)\b/)],
];

/** By runner; undefined when there are too many to keep. */
export function testNames(text: string): Record<string, Names> | undefined {
  const lines = text
    .split('\n')
    .map((line) => (line.length > MAX_LINE && !line.startsWith('{"') ? line.slice(0, MAX_LINE) : line).trimEnd());
  const found: Record<string, Names> = {};
  let total = 0;
  for (const [runner, summary, read] of RUNNERS) {
    if (!summary(lines)) continue;
    const names: Names = { passed: [], skipped: [] };
    for (const line of lines) {
      for (const one of several(read(line))) {
        total += one.count ?? 1;
        if (total > MOST_NAMES) return undefined;
        put(names, one);
      }
    }
    if (names.passed.length + names.skipped.length > 0) found[runner] = names;
  }
  if (text.includes('<testcase')) {
    const cases = junitNames(text);
    if (cases.length + total > MOST_NAMES) return undefined;
    const names: Names = { passed: [], skipped: [] };
    for (const one of cases) put(names, one);
    if (cases.length > 0) found.junit = names;
  }
  return found;
}

/** Adds what did not fail. */
export function put(names: Names, { name, kind, count = 1 }: Named): void {
  if (kind === 'failed') return;
  for (let n = 0; n < count; n++) names[kind].push(name.trim().slice(0, MAX_NAME));
}

const several = (found: Named | Named[] | undefined): readonly Named[] =>
  found === undefined ? [] : Array.isArray(found) ? found : [found];
