import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/gate/ansi.js';
import { attribute } from '../../../src/gate/attribute.js';
import { failingCases, failingTests, MOST_NAMED } from '../../../src/gate/outcomes/failing-tests.js';

const fixture = (name: string): string =>
  plainText(readFileSync(new URL(`../../fixtures/gate/${name}`, import.meta.url), 'utf8'));

describe('names of failing tests, from what the runners really print', () => {
  it.each([
    ['vitest.txt', ['v.test.ts > b']],
    ['vitest-colour.txt', ['v.test.ts > b']],
    ['jest.txt', ['b']],
    ['mocha.txt', ['x b']],
    ['node-spec.txt', ['fails']],
    ['node-tap.txt', ['fails']],
    ['pytest.txt', ['test_a.py::test_b', 'test_a.py::test_e']],
    ['pytest-quiet.txt', ['test_a.py::test_b', 'test_a.py::test_e']],
    ['go-plain.txt', ['TestB', 'TestB/bad']],
    ['go-verbose.txt', ['TestB', 'TestB/bad']],
    ['go-broken.txt', ['TestB', 'TestB/bad', 'x/r']],
    ['go-json.txt', ['x/p TestB', 'x/p TestB/bad']],
    ['cargo.txt', ['d']],
    ['plain.tap', ['two']],
  ])('%s', (name, expected) => {
    expect(failingTests(fixture(name))).toEqual(expected);
  });

  it('reads the cases of JUnit reports', () => {
    expect(failingCases(fixture('node-junit.xml'))).toContain('test fails');
    expect(failingCases(fixture('pytest-junit.xml')).length).toBeGreaterThan(0);
    expect(failingCases('')).toEqual([]);
  });

  it('never throws, names each test once, sorted and bounded', () => {
    const line = fc.oneof(
      fc.string(),
      fc.string().map((name) => ` FAIL  ${name}`),
      fc.string().map((name) => `not ok 1 - ${name}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 50 }), (lines) => {
        const names = failingTests(lines.join('\n'));
        expect(names).toEqual([...new Set(names)].sort());
      }),
    );
    expect(failingTests(Array.from({ length: 5000 }, (_, n) => `not ok ${n} - t${n}`).join('\n'))).toHaveLength(
      MOST_NAMED,
    );
  });
});

describe('attribution of a red command', () => {
  const red = (...failing: string[]) => ({ exitCode: 1, failing });
  it.each([
    ['green base: new', red('a'), { exitCode: 0, failing: [] }, { kind: 'new', added: ['a'], known: [] }],
    ['unknown base: new', red('a'), undefined, { kind: 'new', added: ['a'], known: [] }],
    ['the same tests: already red', red('a'), red('a'), { kind: 'already-red', known: ['a'], fixed: [] }],
    [
      'fewer: already red, with what was fixed',
      red('a'),
      red('a', 'b'),
      { kind: 'already-red', known: ['a'], fixed: ['b'] },
    ],
    ['one more: new', red('a', 'c'), red('a', 'b'), { kind: 'new', added: ['c'], known: ['a'] }],
    ['no names on either side: already red', red(), red(), { kind: 'already-red', known: [], fixed: [] }],
    ['names only now: new', red('a'), red(), { kind: 'new', added: ['a'], known: [] }],
    ['names only before: new, e.g. it does not build any more', red(), red('a'), { kind: 'new', added: [], known: [] }],
    [
      'a base that timed out: already red',
      red(),
      { exitCode: null, failing: [] },
      { kind: 'already-red', known: [], fixed: [] },
    ],
  ])('%s', (_, now, base, expected) => {
    expect(attribute(now, base)).toEqual(expected);
  });
});
