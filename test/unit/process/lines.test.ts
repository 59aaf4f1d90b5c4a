import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteRing, LineSplitter } from '../../../src/process/output.js';

/** Feeds `bytes` in pieces that end at `cuts`. */
function pieces(bytes: Buffer, cuts: number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

describe('lines', () => {
  it('does not depend on how the bytes were cut', () => {
    const bytes = fc
      .array(fc.constantFrom('a', 'é', '😀', '\n', '\r\n', '\r', '\0', '\n\n'))
      .map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat()), (input, cuts) => {
        const lines: string[] = [];
        const splitter = new LineSplitter((line) => lines.push(line), 1000);
        for (const piece of pieces(input, cuts)) splitter.push(piece);
        splitter.end();
        const expected = input.toString('utf8').split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(lines).toEqual(expected.map((line) => line.replace(/\r$/, '')));
      }),
    );
  });

  it('cuts over-long lines, flags them and goes on', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 40 })), fc.array(fc.nat()), (lengths, cuts) => {
        const seen: Array<[number, boolean]> = [];
        const splitter = new LineSplitter((line, truncated) => seen.push([line.length, truncated]), 16);
        const input = Buffer.from(lengths.map((length) => `${'x'.repeat(length)}\n`).join(''));
        for (const piece of pieces(input, cuts)) splitter.push(piece);
        splitter.end();
        expect(seen).toEqual(lengths.map((length) => [Math.min(16, length), length > 16]));
      }),
    );
  });
});

describe('the ring', () => {
  it('keeps exactly the end', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme-ascii' }),
        fc.array(fc.nat()),
        fc.integer({ min: 1, max: 50 }),
        (text, cuts, size) => {
          const ring = new ByteRing(size);
          for (const piece of pieces(Buffer.from(text), cuts)) ring.push(piece);
          expect(ring.toString()).toBe(text.slice(-size));
        },
      ),
    );
  });
  it('keeps the end while it grows to its size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 40_000 })),
        fc.integer({ min: 1, max: 200_000 }),
        (parts, size) => {
          const ring = new ByteRing(size);
          const text = parts.map((length, n) => String.fromCharCode(97 + (n % 26)).repeat(length));
          for (const part of text) ring.push(Buffer.from(part));
          expect(ring.toString() === text.join('').slice(-size)).toBe(true);
        },
      ),
    );
  });
  it('leaves out a character that was cut', () => {
    const ring = new ByteRing(5);
    ring.push(Buffer.from('aé😀'));
    expect(ring.toString()).toBe('😀');
  });
});
