/** Words in commands: the shell gives back what was quoted. Features: C5. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellQuoted, shellWord } from '../../../src/protocol/shell-words.js';

const back = (words: string): string =>
  execFileSync('/bin/sh', ['-c', `printf '%s\\1' ${words}`], { encoding: 'utf8', env: { HOME: '/home' } });

it('any text comes back from a shell', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("'", "it's", '~', '$HOME', '`x`', 'a\nb', '-n', '', '*', '\\', '!!'),
  );
  const texts = fc
    .sample(fc.array(text, { minLength: 1, maxLength: 20 }), { numRuns: 20, seed: 1 })
    .map((all) => all.map((one) => one.replaceAll('\0', '').replaceAll('\u0001', '')));
  for (const all of texts)
    for (const quote of [shellQuoted, shellWord])
      expect(back(all.map(quote).join(' '))).toBe(all.map((one) => `${one}\u0001`).join(''));
});

it('a plain path has no quotes', () => {
  expect(shellWord('/a/b-c_d.e@f')).toBe('/a/b-c_d.e@f');
  expect(shellWord('')).toBe("''");
  expect(shellWord('a b')).toBe("'a b'");
});
