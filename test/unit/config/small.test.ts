import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tooDeepAt } from '../../../src/config/depth.js';
import { parseConfig } from '../../../src/config/load.js';
import { jsonErrorOffset } from '../../../src/config/located.js';
import { ConfigError, levenshtein, nearest, renderProblems } from '../../../src/config/problems.js';
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
    // What a tracker or another tool calls an idea, without the word that ralphctl puts in front.
    expect(nearest('gh-1', ['report-gh-12', 'report-gh-1', 'wave-1'])).toBe('report-gh-1');
    expect(nearest('us-001', ['shop.US-002', 'shop.US-001'])).toBe('shop.US-001');
    expect(nearest('7', ['issue-7', 'report-7'])).toBeUndefined();
  });
});

it('G8: a single problem more than the list shows has its own line (issue 12)', () => {
  const text = (count: number): string =>
    renderProblems(Array.from({ length: count }, (_, at) => ({ file: 'f', line: at + 1, message: 'is wrong' })));
  expect(text(51)).toContain('f:51: is wrong');
  expect(text(51)).not.toContain('more');
  expect(text(52)).toMatch(/f:50: is wrong\n… and 2 more$/);
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

describe('F5: the depth of a text', () => {
  it.each([
    ['lists in lists', '['.repeat(300)],
    ['maps in maps', '{a: '.repeat(300)],
    ['JSON', '{"a": [\n'.repeat(200)],
    ['entries in one line', `${'- '.repeat(300)}x`],
    ['lines', Array.from({ length: 300 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ])('is too much: %s', (_, text) => {
    expect(tooDeepAt(text)).toBeGreaterThan(0);
    expect(tooDeepAt(`a: 1\n${text}`)).toBeGreaterThan(1);
  });

  it.each([
    ['what people write', 'ideas:\n  - id: a\n    tags: [x, {y: [z]}]\n'.repeat(2000)],
    ['words with brackets that nothing closes', `text: |\n${'  see a[0 and f(x){ and arr[i\n'.repeat(2000)}`],
    ['a long line of dashes', `# ${'-'.repeat(1000)}\n--- - x\n`],
    ['steps back and forth', 'a:\n      b:\n  c:\n     d: 1\n'.repeat(500)],
  ])('is none: %s', (_, text) => expect(tooDeepAt(text)).toBeUndefined());
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
  it('F5: names what is nested too deeply, in one line', () => {
    const problem = (file: string) => ({ file, line: 1, message: 'cannot be read: nested too deeply' });
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    for (const file of ['ralphctl.json', 'ralphctl.yaml'])
      expect(() => parseConfig(deep, file)).toThrow(new ConfigError([problem(file)]));
    expect(() => parseConfig(`version: 1\ngate: ${deep.slice(190_000, 210_000)}\n`, 'ralphctl.yaml')).toThrow(
      new ConfigError([{ ...problem('ralphctl.yaml'), line: 2 }]),
    );
  });
});
