/**
 * go test: with `-v` its top-level tests; with `-json` the same; plain output names no passing test, so there a package
 * counts as one. Pure.
 */
import type { TestCounts } from '../../protocol/gate.js';
import { counts, type LineParser } from './tally.js';

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
