/** `--json` steers no terminal and stays the same value; words of statuses that are no statuses. Features: G3 G6. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../../../src/client/output.js';
import { statusNamed } from '../../../src/client/views/words.js';

const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

describe('jsonText', () => {
  it('escapes C1 controls, marks of direction and line separators', () => {
    expect(jsonText({ a: '\u009b31m\u0085\u202e\u2066\u2028\u2029' })).toBe(
      '{"a":"\\u009b31m\\u0085\\u202e\\u2066\\u2028\\u2029"}',
    );
    expect(jsonText('ä€😀 商品')).toBe('"ä€😀 商品"');
  });

  it('is the same value when parsed', () => {
    const sign = fc.constantFrom('\u007f', '\u0080', '\u009f', '\u061c', '\u200e', '\u202a', '\u2069', '\\', '"', 'x');
    const text = fc.string({ unit: fc.oneof(sign, fc.string({ unit: 'binary', maxLength: 1 })) });
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(text, text), fc.jsonValue()), (value) => {
        const json = jsonText(value) ?? '';
        expect(json).not.toMatch(UNSAFE);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('statusNamed', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''])('knows no status %j', (word) =>
    expect(statusNamed(word)).toBeUndefined(),
  );

  it.each([
    ['failed', 'failed'],
    ['timed-out', 'timeout'],
    ['timeout', 'timeout'],
    ['asks', 'needs-human'],
    ['held', 'held'],
    ['wants-approval', 'wants-approval'],
  ])('knows %s', (word, status) => expect(statusNamed(word)).toBe(status));
});

it('is safe and the same value on several lines, too', () => {
  const value = { a: 'x\u009b2J\u202ey', at: '2026-01-02T03:04:05.000Z', b: ['✓'] };
  const text = jsonText(value, 2) ?? '';
  expect(text.split('\n').length).toBeGreaterThan(3);
  expect(text).not.toMatch(/[\u007f-\u009f\u202e]/);
  expect(text).toContain('✓');
  expect(JSON.parse(text)).toEqual(value);
});
