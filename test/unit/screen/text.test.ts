/** Texts by the cells of a terminal. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clean, cut, pad, width, wrap, wrapAll } from '../../../src/screen/text.js';
import { asciiOf } from '../../../src/screen/theme.js';

describe('a text', () => {
  it('is as wide as its cells', () => {
    const texts = ['abc', 'Äpfel', '商品', 'e\u0301', '🎉', '🇩🇪', '한국어', 'ｶﾞ', 'ＡＢ', '✓ ▸ █ …', '⚠', ''];
    expect(texts.map(width)).toEqual([3, 5, 4, 1, 2, 2, 6, 2, 4, 7, 1, 0]);
  });

  it('is cut by cells, never through a character, with a sign for the rest', () => {
    expect(cut('one-time codes', 8)).toBe('one-tim…');
    expect(cut('商品一覧', 5)).toBe('商品…');
    expect(cut('商品一覧', 4)).toBe('商…');
    expect(cut('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
    expect(cut('fits', 4)).toBe('fits');
  });

  it('is filled to its column on either side', () => {
    expect(pad('商', 4)).toBe('商  ');
    expect(pad('$0.41', 7, 'right')).toBe('  $0.41');
  });

  it('loses what steers a terminal, and keeps its words', () => {
    expect(clean('a\u001b[31mred\u001b[0m\u001b]8;;http://x\u0007link\u001b]8;;\u0007')).toBe('aredlink');
    expect(clean('a\u202eb\r\nc\u0000d')).toBe('ab c d');
    expect(clean('👩\u200d👧 \u26a0\ufe0f')).toBe('👩👧 \u26a0');
  });

  it('is wrapped between words with a hanging indent; what is too long is broken', () => {
    expect(wrap('the last 3 iterations got it no further', 16, 2)).toEqual([
      'the last 3',
      '  iterations got',
      '  it no further',
    ]);
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrapAll('one\n\ntwo', 10)).toEqual(['one', '', 'two']);
  });

  it('is never wider than asked, however it is made', () => {
    const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 40 }), fc.nat(10), (text, cells, hang) => {
        const plain = clean(text);
        expect(width(cut(plain, cells))).toBeLessThanOrEqual(cells);
        expect(width(pad(plain, cells))).toBe(cells);
        for (const line of wrap(plain, cells, hang)) expect(width(line)).toBeLessThanOrEqual(cells);
        expect(width(asciiOf(plain))).toBe(width(plain));
      }),
      { numRuns: 500 },
    );
  });
});
