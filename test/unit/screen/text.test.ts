/** Texts by the cells of a terminal. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compose } from '../../../src/screen/compose.js';
import { clean, cut, pad, tail, width, wrap, wrapAll } from '../../../src/screen/text/text.js';
import { asciiOf, LOOKS, SIGNALS } from '../../../src/screen/text/theme.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { NOW, shop, shopDetails } from './shop.js';
import { signsIn } from './signs.js';

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

  it('has only emoji that every terminal measures alike: joined ones stand one by one, without colour of skin', () => {
    const rows: [string, string, number][] = [
      ['👨‍👩‍👧 family', '👨👩👧 family', 13],
      ['👩🏽‍💻 codes', '👩💻 codes', 10],
      ['👍🏿!', '👍!', 3],
      ['🏳️‍🌈', '🏳🌈', 3],
      ['1️⃣ ❤️', '1⃣ ❤', 3],
      ['🇩🇪 🏴\u{e0067}\u{e0062}\u{e007f}', '🇩🇪 🏴', 5],
    ];
    expect(rows.map(([text]) => [text, clean(text), width(clean(text))])).toEqual(rows);
    const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    const emoji = fc.constantFrom('👩', '🏽', '\u200d', '\ufe0f', '💻', '❤', 'a', '🇩🇪', '商');
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: emoji })), (text) => {
        for (const { segment } of clusters.segment(clean(text)))
          expect(segment.match(/\p{Extended_Pictographic}|\p{Emoji_Modifier}/gu)?.length ?? 0).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
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

  it('is wrapped around a command that fits a line; a longer one begins a line and breaks between its words', () => {
    const text = "Some words: git reset 'a b'. Then again: ralphctl retry a-1";
    expect(wrapAll(text, 20)).toEqual(['Some words:', "git reset 'a b'.", 'Then again:', 'ralphctl retry a-1']);
    expect(wrapAll(text, 16)).toEqual(['Some words:', "git reset 'a b'.", 'Then again:', 'ralphctl retry', 'a-1']);
    const long = "look: less '/path of/ideas/a-1/strayed.diff'";
    expect(wrapAll(long, 38)).toEqual(['look:', long.slice(6)]);
    expect(wrapAll(long, 36)).toEqual(['look:', 'less', "'/path of/ideas/a-1/strayed.diff'"]);
    for (const line of wrapAll(long, 20)) expect(width(line)).toBeLessThanOrEqual(20);
    expect(wrapAll(long, 20, 0, { over: true })).toEqual(['look:', long.slice(6)]);
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

  it('has a suffix by cells, as its prefix, that does not begin with a mark of the character before it', () => {
    expect([tail('abcdef', 3), tail('商品一覧', 5), tail('ae\u0301x', 2), tail('x🎉', 2), tail('🎉', 1)]).toEqual([
      ...['def', '一覧', 'e\u0301x', '🎉', ''],
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, cells) => {
        const plain = clean(text);
        const end = tail(plain, cells);
        expect(plain.endsWith(end)).toBe(true);
        expect(width(end)).toBeLessThanOrEqual(cells);
        // One character more would not fit.
        const rest = [...plain.slice(0, plain.length - end.length)];
        const more = rest.findLast((char) => width(char) > 0);
        if (more !== undefined) expect(width(more) + width(end)).toBeGreaterThan(cells);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a sign', () => {
  const drawn = signsIn('screen', 'client/views', 'client/report');

  it('has an ASCII form of its own, whichever file draws it: ? means that an idea asks', () => {
    for (const { sign } of [...Object.values(LOOKS), ...Object.values(SIGNALS)])
      if (sign !== '?' && sign !== '!') expect(drawn.has(sign), sign).toBe(true);
    const without = [...drawn].filter(([sign]) => asciiOf(sign).includes('?'));
    expect(without).toEqual([]);
  });
});

describe('a long text', () => {
  /** Tests of single characters against the tables of widths. */
  function measured(work: () => void): number {
    const { test } = RegExp.prototype;
    let count = 0;
    RegExp.prototype.test = function counted(text) {
      count += 1;
      return test.call(this, text);
    };
    try {
      work();
    } finally {
      RegExp.prototype.test = test;
    }
    return count;
  }

  it.each(['Ж', '商', '🎉'])(
    'is measured a few times as it is typed, answered and wrapped, not once for each cell (%s)',
    (char) => {
      const text = char.repeat(2000);
      const size = { columns: 80, rows: 24 };
      const draw = (more: Partial<Ui>): void =>
        void compose(shop(), { ...initialUi(), ...more }, shopDetails(), size, { colour: true, ascii: false }, NOW);
      const prompt = { kind: 'text' as const, label: 'answer', text, cursor: text.length };
      const idea = 'mfa-001';
      const shown = {
        prompt: () => draw({ prompt }),
        answer: () => draw({ screen: 'needs', answering: idea, drafts: { [idea]: { text, cursor: text.length } } }),
        message: () => draw({ message: { text } }),
      };
      for (const [name, work] of Object.entries(shown)) {
        const fixed = measured(() => draw(name === 'answer' ? { screen: 'needs', answering: idea } : {}));
        expect(measured(work) - fixed, name).toBeLessThan(30 * text.length);
      }
    },
  );
});
