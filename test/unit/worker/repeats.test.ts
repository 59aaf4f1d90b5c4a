import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Repeats } from '../../../src/worker/log.js';

describe('a log that would repeat itself', () => {
  it('says a thing once, then at growing distances with how often it was held back', () => {
    const repeats = new Repeats();
    const passed: number[][] = [];
    for (let now = 0; now < 600_000; now += 100) {
      const held = repeats.pass(`connect to 127.0.0.1:${7000 + (now % 7)} failed, attempt ${now}`, now);
      if (held !== undefined) passed.push([now / 1000, held]);
    }
    expect(passed.slice(0, 4)).toEqual([
      [0, 0],
      [1, 9],
      [3, 19],
      [7, 39],
    ]);
    expect(passed.length).toBeLessThan(20);
  });

  it('holds nothing back that is new, or new again', () => {
    const repeats = new Repeats();
    expect(repeats.pass('one', 0)).toBe(0);
    expect(repeats.pass('two', 0)).toBe(0);
    expect(repeats.pass('one', 10)).toBeUndefined();
    expect(repeats.pass('one', 10 + 5 * 60_000 + 1)).toBe(0);
  });

  it('counts every message once, passed or held', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5000), { maxLength: 300 }), (gaps) => {
        const repeats = new Repeats();
        let now = 0;
        let counted = 0;
        let heldAtEnd = 0;
        for (const gap of gaps) {
          now += gap;
          const held = repeats.pass('same', now);
          if (held === undefined) heldAtEnd++;
          else {
            expect(held).toBe(heldAtEnd);
            heldAtEnd = 0;
            counted += held + 1;
          }
        }
        expect(counted + heldAtEnd).toBe(gaps.length);
      }),
    );
  });
});
