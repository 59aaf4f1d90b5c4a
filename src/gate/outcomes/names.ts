/**
 * Names of the tests that ran, from a gate command's output, by runner.
 * Invariant: never throws, takes time linear in any text. A name occurs as often as its test ran. Pure.
 */
import { cargo, goTest, jest, type LineParser, MAX_LINE, mocha, nodeTest, pytest, tap, vitest } from './summaries.js';

type LineReader = (line: string) => Named | Named[] | undefined;

/** With more names than this, only counts are kept. */
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

/** By a pattern with the groups `name`, `word` and optionally `aside`, which marks a skipped test. */
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

/** A list counts only beside its runner's summary, because other programs also print ticks. */
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

/** Adds tests that did not fail. */
export function put(names: Names, { name, kind, count = 1 }: Named): void {
  if (kind === 'failed') return;
  for (let n = 0; n < count; n++) names[kind].push(name.trim().slice(0, MAX_NAME));
}

const several = (found: Named | Named[] | undefined): readonly Named[] =>
  found === undefined ? [] : Array.isArray(found) ? found : [found];

/* A line of `go test -json`. Pure. */

export function goEvent(line: string): Named | undefined {
  if (!line.startsWith('{"') || !line.includes('"Test":')) return undefined;
  try {
    const { Action, Test, Package } = JSON.parse(line) as Record<string, unknown>;
    if ((Action !== 'pass' && Action !== 'skip') || typeof Test !== 'string') return undefined;
    return { name: `${String(Package)} ${Test}`, kind: Action === 'pass' ? 'passed' : 'skipped' };
  } catch {
    return undefined;
  }
}

/* Test cases of a JUnit report that did not fail. A scanner, for the same reasons as the one for counts. Pure. */

const MAX_HEAD = 2000;

export function junitNames(xml: string): Named[] {
  const found: Named[] = [];
  for (let at = xml.indexOf('<testcase'); at >= 0; ) {
    const next = xml.indexOf('<testcase', at + 9);
    const body = xml.slice(at, next < 0 ? undefined : next);
    const head = body.slice(0, Math.min(body.indexOf('>') + 1 || MAX_HEAD, MAX_HEAD));
    const value = (key: string): string => new RegExp(`\\s${key}="([^"]*)"`).exec(head)?.[1] ?? '';
    const name = `${value('classname')} ${value('name')}`.trim();
    const failed = body.includes('<failure') || body.includes('<error');
    if (name && !failed) found.push({ name, kind: body.includes('<skipped') ? 'skipped' : 'passed' });
    at = next;
  }
  return found;
}

/** The known tests of one runner. Must import nothing. */
export interface Names {
  passed: string[];
  skipped: string[];
}

/** `count`: of a file that has several tests. */
export type Named = { name: string; kind: 'passed' | 'skipped' | 'failed'; count?: number };

/*
 * vitest: each test with the verbose reporter, ` ✓ file > suite > test 2ms`; else files with their counts,
 * ` ✓ file (3 tests | 1 skipped) 4ms`. Tests below a file are printed only now and then, so they do not count. Pure.
 */

const FILE = /^ [✓❯↓] (\S.*?) \((\d{1,5}) tests?((?: \| \d{1,5} [a-z]+)*)\)/;
const TEST = /^ (✓|↓) (\S.* > .+?)(?: \d+ms)?$/;

export function vitestFile(line: string): Named | Named[] | undefined {
  const file = FILE.exec(line);
  if (file?.[1]) {
    const not = [...(file[3] ?? '').matchAll(/\| (\d+) ([a-z]+)/g)];
    const of = (...words: string[]): number =>
      not.reduce((total, [, n, word]) => total + (words.includes(word ?? '') ? Number(n) : 0), 0);
    const skipped = of('skipped', 'todo');
    const passed = Math.max(0, Number(file[2]) - skipped - of('failed'));
    return [
      { name: file[1], kind: 'passed', count: passed },
      { name: file[1], kind: 'skipped', count: skipped },
    ];
  }
  const test = TEST.exec(line);
  return test?.[2] ? { name: test[2], kind: test[1] === '✓' ? 'passed' : 'skipped' } : undefined;
}
