/** The time of a test run by part, from vitest's JSON report: sums by suite, then the slowest files. */
import { relative } from 'node:path';

const SHOWN = 15;
const seconds = (ms) => `${(ms / 1000).toFixed(1).padStart(7)} s`;
const suiteOf = (file) =>
  file
    .split('/')
    .slice(1, file.startsWith('test/unit/') ? 3 : 2)
    .join('/');

/** @param totals the parsed report; @param root of the checkout. Returns lines. */
export function whereTimeGoes(totals, root) {
  const files = totals.testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    file: relative(root, name),
    ms: endTime - startTime,
    tests: assertionResults.length,
  }));
  const suites = new Map();
  for (const { file, ms, tests } of files) {
    const sum = suites.get(suiteOf(file)) ?? { ms: 0, tests: 0 };
    suites.set(suiteOf(file), { ms: sum.ms + ms, tests: sum.tests + tests });
  }
  const byTime = (a, b) => b.ms - a.ms;
  const sums = [...suites].map(([suite, sum]) => ({ suite, ...sum })).sort(byTime);
  return [
    'time by suite (several files run at once):',
    ...sums.map(({ suite, ms, tests }) => `${seconds(ms)}  ${suite} (${tests} tests)`),
    'slowest files:',
    ...files
      .sort(byTime)
      .slice(0, SHOWN)
      .map(({ file, ms, tests }) => `${seconds(ms)}  ${file} (${tests} tests)`),
  ];
}
