/** Escape sequences of foreign text are removed whole, in linear time (F2, D4). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOneLine, plainText, saysAnything, withoutEscapes } from '../../../src/protocol/escapes.js';

describe('withoutEscapes', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['a private mode', 'a\u001b[?25lb', 'ab'],
    ['a cursor movement', '\u001b[2J\u001b[1;1Hhome', 'home'],
    ['a colour of 8 bits', '\u009b31mred', 'red'],
    ['a title, ended by BEL', '\u001b]0;title\u0007text', 'text'],
    ['a link, ended by ST', '\u001b]8;;https://a.test\u001b\\name\u001b]8;;\u001b\\', 'name'],
    ['a title of 8 bits', '\u009d0;title\u009ctext', 'text'],
    ['a clipboard without an end, up to the line end', '\u001b]52;c;AAAA\ntext', '\ntext'],
    ['a device control string', '\u001bPq#0\u001b\\text', 'text'],
    ['a character set', '\u001b(Btext', 'text'],
    ['a lone escape at the end', 'text\u001b', 'text'],
    ['other control characters stay', 'a\tb\nc\u0007', 'a\tb\nc\u0007'],
  ])('%s', (_, text, expected) => {
    expect(withoutEscapes(text)).toBe(expected);
  });

  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '\u009b',
        '\u009d',
        '\u0007',
        '\u009c',
        '\\',
        ';',
        '0',
        '31m',
        ' ',
        '\n',
        'P',
        'a',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 200 },
  );

  it('leaves no beginning of a sequence, whatever comes in', () => {
    const begins = ['\u001b', '\u0090', '\u0098', '\u009b', '\u009d', '\u009e', '\u009f'];
    fc.assert(
      fc.property(pieces, (all) => {
        const left = withoutEscapes(all.join(''));
        expect(begins.filter((one) => left.includes(one))).toEqual([]);
      }),
    );
  });

  it('one line stays one line', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        expect(inOneLine(all.join(''))).not.toMatch(/\p{Cc}|\u2028|\u2029/u);
      }),
    );
  });

  it.each(['\u001b[', '\u001b]', '\u009b', '\u001b[0;', '\u001bP ', '\u001b '])(
    'a megabyte of %j ends before the timeout',
    (piece) => {
      // A quadratic search over a megabyte takes minutes.
      const text = piece.repeat(1_000_000 / piece.length);
      expect(withoutEscapes(text).length).toBeLessThan(text.length);
    },
  );
});

describe('what a person typed', () => {
  it.each([
    ['', false],
    [' \t\n', false],
    ['\u001b[31m\u001b[0m', false],
    ['\u001b]0;a title\u0007', false],
    ['\u0000\u0007', false],
    ['\u200b\ufeff\u00ad\u2060\ufe0f', false],
    ['\u001b[31mred', true],
    ['.', true],
    ['\u00e9', true],
    ['\u{1f44d}', true],
    ['\u0e01', true],
  ])('%j says anything: %s', (text, says) => {
    expect(saysAnything(text)).toBe(says);
  });

  it('keeps its lines and tabs, and loses everything that steers a terminal or ends an argument', () => {
    expect(plainText('a\u0000b\r\nc\td\re\u001b[31mf\u0007')).toBe('ab\nc\td\nef');
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => /^[\P{Cc}\n\t]*$/u.test(plainText(text))));
  });
});
