import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load.js';
import { jsonErrorOffset } from '../../../src/config/located.js';
import { ConfigError, levenshtein, nearest } from '../../../src/config/problems.js';
import { splitCommand } from '../../../src/config/schema/agents.js';

describe('levenshtein', () => {
  const slow = (a: string, b: string): number => {
    if (a === '' || b === '') return a.length + b.length;
    return Math.min(
      slow(a.slice(1), b) + 1,
      slow(a, b.slice(1)) + 1,
      slow(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
    );
  };
  it('agrees with the definition, bounded or not', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });
    fc.assert(
      fc.property(word, word, fc.nat(6), (a, b, limit) => {
        const d = slow(a, b);
        expect(levenshtein(a, b)).toBe(d);
        const bounded = levenshtein(a, b, limit);
        expect(d <= limit ? bounded === d : bounded > limit).toBe(true);
      }),
    );
  });
  it('finds the near and leaves the far', () => {
    expect(nearest('max-iteration', ['timeout', 'max_iterations'])).toBe('max_iterations');
    expect(nearest('banana', ['timeout', 'max_iterations'])).toBeUndefined();
    expect(nearest('', ['timeout'])).toBeUndefined();
  });
});

describe('splitCommand', () => {
  it('gives quoted words back', () => {
    const word = fc.string({ minLength: 1, maxLength: 12 }).filter((w) => !w.includes("'"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(splitCommand(words.map((w) => `'${w}'`).join('  '))).toEqual({ words });
      }),
    );
  });
  it.each(['', '  ', 'a "b', 'a && b', 'echo $HOME', '""'])('refuses %j', (text) => {
    expect(splitCommand(text)).toHaveProperty('problem');
  });
});

describe('jsonErrorOffset', () => {
  const valid = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  it('agrees with JSON.parse on what is JSON', () => {
    const mangled = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', '1', '\n', '{"', 'x'))
      .map(
        ([json, at, extra]) => json.slice(0, at % (json.length + 1)) + extra + json.slice((at % (json.length + 1)) + 1),
      );
    fc.assert(
      fc.property(fc.oneof(fc.json(), mangled, fc.string()), (text) => {
        expect(jsonErrorOffset(text) === undefined).toBe(valid(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('parseConfig', () => {
  it('throws nothing but ConfigError, whatever the text', () => {
    const snippet = fc.constantFrom(
      'slots:',
      ' 3',
      '\n',
      'agents:',
      '  x: {',
      '}',
      '[',
      ']',
      '- ',
      '&a ',
      '*a',
      '!t ',
      '"',
      '|',
      '? ',
      'gate',
      '__proto__: ',
      '\t',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(snippet).map((s) => s.join('')),
      fc.json(),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('ralphctl.yaml', 'ralphctl.json'), (source, file) => {
        try {
          parseConfig(source, file);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          for (const p of (error as ConfigError).problems) expect(p.line).toBeGreaterThan(0);
        }
      }),
      { numRuns: 300 },
    );
  });
  it('survives deep nesting', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(() => parseConfig(deep, 'ralphctl.json')).toThrow(ConfigError);
    expect(() => parseConfig(deep, 'ralphctl.yaml')).toThrow(ConfigError);
  });
});
