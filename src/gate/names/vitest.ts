/**
 * vitest: each test with the verbose reporter, ` ✓ file > suite > test 2ms`; else files with their counts,
 * ` ✓ file (3 tests | 1 skipped) 4ms`. Tests below a file are printed only now and then, so they do not count. Pure.
 */
import type { Named } from './types.js';

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
