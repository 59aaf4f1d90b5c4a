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

/* cargo test, one line per binary: `test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; …`. Pure. */

export const cargo: LineParser = (lines) =>
  sum(
    lines.map((line) => {
      const found = /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/.exec(line);
      return found ? counts(Number(found[1]), Number(found[2]), Number(found[3])) : undefined;
    }),
  );

/*
 * go test: with `-v` its top-level tests; with `-json` the same; plain output names no passing test, so there a package
 * counts as one. Pure.
 */

export const goTest: LineParser = (lines) => goJson(lines) ?? goText(lines);

function goText(lines: readonly string[]): TestCounts | undefined {
  const verbose = lines.some((line) => line.startsWith('=== RUN   '));
  const tests = { PASS: 0, FAIL: 0, SKIP: 0 };
  const packages = { ok: 0, failed: 0, broken: 0 };
  for (const line of lines) {
    const test = /^--- (PASS|FAIL|SKIP): \S+ \(\d+(?:\.\d+)?s\)$/.exec(line)?.[1];
    if (test === 'PASS' || test === 'FAIL' || test === 'SKIP') tests[test]++;
    else if (/^ok {2}\t\S+\t/.test(line)) packages.ok++;
    else if (/^FAIL\t\S+ \[(?:build|setup) failed\]$/.test(line)) packages.broken++;
    else if (/^FAIL\t\S+\t\d/.test(line)) packages.failed++;
  }
  if (packages.ok + packages.failed + packages.broken === 0) return undefined;
  if (verbose) return counts(tests.PASS, tests.FAIL + packages.broken, tests.SKIP);
  return counts(packages.ok, packages.failed + packages.broken, 0);
}

function goJson(lines: readonly string[]): TestCounts | undefined {
  const result = { pass: 0, fail: 0, skip: 0 };
  const busy = new Set<string>();
  let seen = false;
  for (const line of lines) {
    const event = parse(line);
    if (!event) continue;
    seen = true;
    const { action, test, pkg } = event;
    if (test) busy.add(pkg);
    if (action !== 'pass' && action !== 'fail' && action !== 'skip') continue;
    if (test && !test.includes('/')) result[action]++;
    // A package that failed before any of its tests ran: it did not build.
    if (!test && action === 'fail' && !busy.has(pkg)) result.fail++;
  }
  return seen ? counts(result.pass, result.fail, result.skip) : undefined;
}

function parse(line: string): { action: string; test: string; pkg: string } | undefined {
  if (!line.startsWith('{"') || !line.includes('"Action":"')) return undefined;
  try {
    const { Action, Test, Package } = JSON.parse(line) as Record<string, unknown>;
    if (typeof Action !== 'string' || typeof Package !== 'string') return undefined;
    return { action: Action, test: typeof Test === 'string' ? Test : '', pkg: Package };
  } catch {
    return undefined;
  }
}

/* jest: `Tests:       1 failed, 1 skipped, 1 todo, 2 passed, 5 total`. Pure. */

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

/* JUnit XML: counts `<testcase>` elements. A scanner and not a parser: reports may be huge, cut off or hostile. Pure. */

export function junit(xml: string): TestCounts | undefined {
  if (!/<testsuites?[\s>/]/.test(xml)) return undefined;
  const text = withoutCdata(xml);
  let [passed, failed, skipped] = [0, 0, 0];
  for (let at = text.indexOf('<testcase'); at >= 0; ) {
    const next = text.indexOf('<testcase', at + 9);
    const body = text.slice(at, next < 0 ? undefined : next);
    if (/^<testcase[\s/>]/.test(body)) {
      if (body.includes('<failure') || body.includes('<error')) failed++;
      else if (body.includes('<skipped')) skipped++;
      else passed++;
    }
    at = next;
  }
  return counts(passed, failed, skipped);
}

/** Captured output may hold anything, also XML. */
function withoutCdata(text: string): string {
  let out = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('<![CDATA[', from);
    if (start < 0) return out + text.slice(from);
    out += text.slice(from, start);
    const end = text.indexOf(']]>', start);
    if (end < 0) return out;
    from = end + 3;
  }
}

/* mocha: `2 passing (4ms)`, then maybe `1 pending` and `1 failing`. Pure. */

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

/* node:test, both reporters: `ℹ tests 6` or `# tests 6`, then `pass`, `fail`, `cancelled`, `skipped`, `todo`. Pure. */

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

/* pytest: `=== 1 failed, 2 passed, 1 xfailed, 1 error in 0.03s ===`, also without the frame (`-q`). Pure. */

const WORDS = new Set([
  'passed',
  'failed',
  'skipped',
  'xfailed',
  'xpassed',
  'error',
  'errors',
  'warning',
  'warnings',
  'deselected',
  'rerun',
  'subtests',
]);

export const pytest: LineParser = (lines) =>
  sum(
    lines.map((line) => {
      const bare = unframed(line);
      const at = bare.lastIndexOf(' in ');
      if (at < 0 || !/^\d+(?:\.\d+)?s(?: \([0-9:]+\))?$/.test(bare.slice(at + 4))) return undefined;
      const parts = pieces(bare.slice(0, at).split(', '));
      if (!parts || parts.size === 0 || [...parts.keys()].some((word) => !WORDS.has(word))) return undefined;
      const n = (...keys: string[]): number => keys.reduce((total, key) => total + (parts.get(key) ?? 0), 0);
      return counts(n('passed', 'xpassed'), n('failed', 'error', 'errors'), n('skipped', 'xfailed'));
    }),
  );

function unframed(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && (line[start] === '=' || line[start] === ' ')) start++;
  while (end > start && (line[end - 1] === '=' || line[end - 1] === ' ')) end--;
  return line.slice(start, end);
}

/* TAP: top-level `ok` and `not ok` lines, where a plan or a version line says that it is TAP. Pure. */

export const tap: LineParser = (lines) => {
  let [passed, failed, skipped] = [0, 0, 0];
  let isTap = false;
  for (const line of lines) {
    if (/^(?:TAP version \d+|1\.\.\d+)/.test(line)) isTap = true;
    const point = /^(not )?ok\b/.exec(line);
    if (!point) continue;
    if (/ # (?:skip|todo)/i.test(line)) skipped++;
    else if (point[1]) failed++;
    else passed++;
  }
  return isTap && passed + failed + skipped > 0 ? counts(passed, failed, skipped) : undefined;
};

/* vitest: `      Tests  1 failed | 2 passed | 1 skipped | 1 todo (5)`. Pure. */

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

/*
 * Counts passed tests from a gate command's output.
 * Invariant: never throws and takes time linear in any text. Pure.
 */

/** Each recognises an unmistakable summary, so the counts of several runners are added up. */
const SUMMARIES: readonly LineParser[] = [vitest, jest, mocha, nodeTest, pytest, goTest, cargo];

/** Counts of every summary in the text, which must be free of escape sequences; undefined when there is none. */
export function countTests(text: string): TestCounts | undefined {
  const lines = text
    .split('\n')
    .map((line) => (line.length > MAX_LINE && !line.startsWith('{"') ? line.slice(0, MAX_LINE) : line));
  return sum(SUMMARIES.map((parse) => parse(lines))) ?? tap(lines) ?? junit(text);
}
