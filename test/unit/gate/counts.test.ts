import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/gate/ansi.js';
import { countTests, junit } from '../../../src/gate/outcomes/summaries.js';

const folder = new URL('../../fixtures/gate/', import.meta.url);
const fixture = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const of = (passed: number, failed: number, skipped: number) => ({
  passed,
  failed,
  skipped,
  total: passed + failed + skipped,
});

describe('countTests on what the runners really print', () => {
  it.each([
    ['vitest.txt', of(1, 1, 2)],
    ['vitest-colour.txt', of(1, 1, 2)],
    ['jest.txt', of(2, 1, 2)],
    ['mocha.txt', of(2, 1, 1)],
    ['node-tap.txt', of(3, 1, 2)],
    ['node-spec.txt', of(3, 1, 2)],
    ['node-junit.xml', of(3, 1, 2)],
    ['pytest.txt', of(1, 2, 2)],
    ['pytest-quiet.txt', of(1, 2, 2)],
    ['pytest-junit.xml', of(1, 2, 2)],
    ['go-verbose.txt', of(2, 1, 1)],
    ['go-json.txt', of(2, 1, 1)],
    ['go-plain.txt', of(1, 1, 0)],
    ['go-broken.txt', of(1, 2, 0)],
    ['go-json-broken.txt', of(2, 2, 1)],
    ['cargo.txt', of(3, 1, 1)],
    ['plain.tap', of(1, 1, 2)],
  ])('%s', (name, expected) => {
    expect(countTests(plainText(fixture(name)))).toEqual(expected);
  });

  it('adds up several runs and several runners', () => {
    expect(countTests(`${fixture('vitest.txt')}\n${fixture('vitest.txt')}`)).toEqual(of(2, 2, 4));
    expect(countTests(`${fixture('jest.txt')}\n${fixture('cargo.txt')}\n${fixture('mocha.txt')}`)).toEqual(of(7, 3, 4));
    expect(countTests(`${fixture('node-spec.txt')}\n${fixture('node-spec.txt')}`)).toEqual(of(6, 2, 4));
  });

  it.each([
    ['nothing', ''],
    ['a linter', 'src/a.ts:3:5 error no-any\n\n12 problems (3 errors, 9 warnings)\n'],
    ['prose', 'All 12 passed in the end. Tests were run. 5 passing remarks in 3 pages\nok then\nnot ok with me'],
    ['make', 'make: *** [all] Error 2'],
    ['pytest without tests', '============ no tests ran in 0.01s ============'],
    ['vitest without tests', '      Tests  no tests'],
  ])('says nothing about %s', (_name, text) => {
    expect(countTests(text)).toBeUndefined();
  });

  it('windows line ends and progress overwrites do not matter', () => {
    expect(countTests(plainText('working 10%\rworking 100%\r\n2 passed in 0.10s\r\n'))).toEqual(of(2, 0, 0));
  });

  it('output captured in a report does not count', () => {
    const xml =
      '<testsuite><testcase name="a"><system-out><![CDATA[<testcase name="x"><failure/></testcase>]]></system-out></testcase><testcase name="b"/></testsuite>';
    expect(junit(xml)).toEqual(of(2, 0, 0));
  });
});

describe('hostile text', () => {
  const names = readdirSync(folder);
  const fragment = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...names).chain((name) => {
      const text = fixture(name);
      return fc
        .tuple(fc.nat(text.length), fc.nat(text.length))
        .map(([a, b]) => text.slice(Math.min(a, b), Math.max(a, b)));
    }),
    fc.constantFrom(
      'Tests  ',
      '1 failed | ',
      '9'.repeat(400),
      '\x1b[',
      '<testcase',
      '<![CDATA[',
      '{"Action":"',
      '# tests 1\n',
      '\n',
      ' in 1s',
      '====',
    ),
  );

  it('never throws; what it finds is consistent', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (parts) => {
        const found = countTests(plainText(parts.join('')));
        if (!found) return;
        for (const value of Object.values(found)) expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
        expect(found.total).toBe(found.passed + found.failed + found.skipped);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ' ',
    '=',
    '1 passed, ',
    '1 failed | ',
    'Tests  1 ',
    '\x1b[1;',
    '\x1b]',
    '<testcase>',
    '<testcase',
    '<![CDATA[',
    '\r',
    '{"Action":"',
    '{"',
    '-',
    'ok ',
    '# tests 1\n',
    '  2 passing (1ms)\n',
  ])('a million characters of %j take no time to speak of', (unit) => {
    const text = `<testsuite>\n${unit.repeat(Math.ceil(1e6 / unit.length))}`;
    const before = process.cpuUsage();
    countTests(plainText(text));
    countTests(plainText(text.replaceAll('\n', ' ')));
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(4000);
  });
});

describe('plainText', () => {
  it('removes colours, links and control characters', () => {
    expect(plainText('\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b(Bb\x07\x00\ttab')).toBe(
      'red link b\ttab',
    );
  });
  it('leaves no escape and no control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const plain = plainText(text);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
        expect(plain).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(plainText(plain)).toBe(plain);
      }),
    );
  });
});
