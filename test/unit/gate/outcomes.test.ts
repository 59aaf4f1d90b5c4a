/** Names of tests by runner, and what of them is lost (F3). */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/gate/ansi.js';
import { junitNames, testNames } from '../../../src/gate/outcomes/names.js';
import { lostTests, type Tested } from '../../../src/gate/outcomes/outcomes.js';
import { countTests } from '../../../src/gate/outcomes/summaries.js';

const fixture = (name: string): string =>
  plainText(readFileSync(new URL(`../../fixtures/gate/${name}`, import.meta.url), 'utf8'));

describe('names of tests that ran, from what the runners really print', () => {
  it.each([
    ['vitest.txt', { vitest: { passed: ['v.test.ts'], skipped: ['v.test.ts', 'v.test.ts'] } }],
    ['vitest-colour.txt', { vitest: { passed: ['v.test.ts'], skipped: ['v.test.ts', 'v.test.ts'] } }],
    ['jest.txt', { 'jest files': { passed: ['./t.test.js'], skipped: [] } }],
    ['mocha.txt', { mocha: { passed: ['a', 'd'], skipped: ['c'] } }],
    [
      'node-spec.txt',
      { node: { passed: ['adds', 'inner', 'inner two', 'group'], skipped: ['skipped', 'todo later'] } },
    ],
    ['plain.tap', { TAP: { passed: ['one'], skipped: ['three'] } }],
    ['go-plain.txt', { 'go packages': { passed: ['x/q'], skipped: [] } }],
    ['go-json.txt', { go: { passed: ['x/p TestA', 'x/p TestB/sub', 'x/q TestD'], skipped: ['x/p TestC'] } }],
    ['cargo.txt', { cargo: { passed: ['t::a', 'c', 'src/lib.rs - f (line 1)'], skipped: ['t::b'] } }],
    ['pytest.txt', {}],
  ])('%s', (name, expected) => {
    expect(testNames(fixture(name))).toEqual(expected);
  });

  it('TAP of node with suites, go with -v', () => {
    expect(testNames(fixture('node-tap.txt'))?.TAP?.passed).toEqual(['adds', 'inner', 'inner two', 'group']);
    expect(testNames(fixture('go-verbose.txt'))?.go).toEqual({
      passed: ['TestA', 'TestB/sub', 'TestD'],
      skipped: ['TestC'],
    });
  });

  it('pytest -v, also spread over processes; vitest and jest with names', () => {
    const pytest = `tests/test_a.py::test_x PASSED                  [ 50%]
tests/test_a.py::test_y[a b] SKIPPED (later)    [100%]
[gw1] [ 33%] XPASS tests/test_a.py::test_z
========== 2 passed, 1 skipped in 0.01s ==========`;
    expect(testNames(pytest)?.pytest).toEqual({
      passed: ['tests/test_a.py::test_x', 'tests/test_a.py::test_z'],
      skipped: ['tests/test_a.py::test_y[a b]'],
    });
    const vitest = ' ✓ a.test.ts > x > adds 2ms\n ↓ a.test.ts > x > later\n      Tests  1 passed | 1 skipped (2)';
    expect(testNames(vitest)?.vitest).toEqual({ passed: ['a.test.ts > x > adds'], skipped: ['a.test.ts > x > later'] });
    const jest = '  x\n    ✓ adds (2 ms)\n    ○ skipped later\nTests:       1 skipped, 1 passed, 2 total';
    expect(testNames(jest)?.jest).toEqual({ passed: ['adds'], skipped: ['later'] });
  });

  it('reads JUnit', () => {
    const names = junitNames(fixture('pytest-junit.xml'));
    expect(names.map((one) => one.kind).sort()).toEqual(['passed', 'skipped', 'skipped']);
  });

  it('takes no ticks of other programs for tests', () => {
    expect(testNames('✔ built in 2 s\n  ✓ 12 modules transformed\nok 1 - really\n')).toEqual({});
  });

  it('never throws and keeps no more than it may', () => {
    const line = fc.oneof(
      fc.string(),
      fc.string().map((name) => `ok 1 - ${name}`),
      fc.string().map((name) => ` ✓ ${name} (3 tests) 1ms`),
    );
    fc.assert(fc.property(fc.array(line), (lines) => void testNames(['1..3', ...lines].join('\n'))));
    expect(testNames(`1..1\n${'ok 1 - x\n'.repeat(20_001)}`)).toBeUndefined();
  });
});

describe('lost tests', () => {
  const tap = (...lines: string[]): Tested => {
    const text = [...lines, `1..${lines.length}`].join('\n');
    return { counts: countTests(text) ?? { passed: 0, failed: 0, skipped: 0, total: 0 }, names: testNames(text) ?? {} };
  };
  const ok = (name: string): string => `ok 1 - ${name}`;
  const NOTHING = { nothing: false, gone: [], skipped: [] };
  const base = tap(ok('a'), ok('b'), ok('b'));

  it.each([
    ['the same and more: nothing', tap(ok('b'), ok('b'), ok('c'), ok('a')), NOTHING],
    ['one gone', tap(ok('a'), ok('b'), ok('c'), ok('d')), { ...NOTHING, gone: ['b'] }],
    ['one skipped', tap(ok('a'), ok('b'), 'ok 3 - b # SKIP'), { ...NOTHING, skipped: ['b'] }],
    ['one fails: it does not pass any more', tap(ok('b'), ok('b'), 'not ok 1 - a'), { ...NOTHING, gone: ['a'] }],
    ['no output', undefined, { ...NOTHING, nothing: true }],
  ])('%s', (_, now, expected) => {
    expect(lostTests(base, now)).toEqual(expected);
  });

  it('a test may move, and carry another number or address', () => {
    const before = tap(ok('a/b.py::test_x[0x7f12]'), ok('seed 123 > sorts'), ok('renders'));
    const now = tap(ok('c/d.py::test_x[0x7f99]'), ok('seed 77 > sorts'), ok('renders'));
    expect(lostTests(before, now)).toEqual(NOTHING);
  });

  it('without names on both sides counts decide', () => {
    const counted = (passed: number, skipped = 0): Tested => ({
      counts: { passed, skipped, failed: 0, total: passed + skipped },
    });
    expect(lostTests(base, counted(3))).toEqual(NOTHING);
    expect(lostTests(base, counted(2))).toEqual({ ...NOTHING, fewer: { before: 3, now: 2 } });
    expect(lostTests(base, counted(1, 1))).toEqual({ ...NOTHING, fewer: { before: 3, now: 1 }, moreSkipped: 1 });
    expect(lostTests(counted(0), undefined)).toEqual(NOTHING);
  });
});
