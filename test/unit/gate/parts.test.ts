/** The part of a file that belongs to the gate, put into a newer version of it (F3). */
import { expect, it } from 'vitest';
import { cut, differs, graft, partOf } from '../../../src/gate/tripwires/parts.js';
import type { Part } from '../../../src/gate/tripwires/patterns.js';

const part = (path: string): Part => partOf(path) as Part;

it('package.json: scripts of the base, everything else of the work', () => {
  const now = {
    name: 'x',
    scripts: { test: 'true' },
    jest: { bail: 1 },
    dependencies: { zod: '4' },
    imports: { '#a': './a.js' },
  };
  const before = { name: 'x', scripts: { test: 'node --test' }, dependencies: {} };
  const text = graft(JSON.stringify(now), JSON.stringify(before), part('web/package.json')) ?? '';
  expect(JSON.parse(text)).toEqual({
    name: 'x',
    scripts: { test: 'node --test' },
    dependencies: { zod: '4' },
    imports: { '#a': './a.js' },
  });
  expect(graft('{', '{}', part('package.json'))).toBeUndefined();
});

it.each<[string, object, object, boolean]>([
  ['a new import', { imports: { '#a': './a.js' } }, { imports: { '#a': './a.js', '#b': './b.js' } }, false],
  ['the first imports', {}, { imports: { '#a': './a.js' } }, false],
  ['another import', { imports: { '#a': './a.js' } }, { imports: { '#a': './b.js' } }, true],
  [
    'one that goes before a pattern',
    { imports: { '#a/*': './*.js' } },
    { imports: { '#a/*': './*.js', '#a/b': './c.js' } },
    true,
  ],
  ['a condition', { exports: { import: './a.js' } }, { exports: { import: './a.js', node: './b.js' } }, true],
  ['a new workspace', { workspaces: ['a'] }, { workspaces: ['a', 'b'] }, false],
  ['an override', {}, { overrides: { vitest: './fake' } }, true],
  ['a type', {}, { type: 'module' }, true],
])('package.json: %s', (_name, before, now, counts) => {
  expect(differs(JSON.stringify(before), JSON.stringify(now), part('package.json'))).toBe(counts);
});

it('package.json: imports of the base, and new ones of the work', () => {
  const now = JSON.stringify({ imports: { '#a': './none.js', '#b': './b.js' } });
  const text = graft(now, JSON.stringify({ imports: { '#a': './a.js' } }), part('package.json')) ?? '';
  expect(JSON.parse(text)).toEqual({ imports: { '#a': './a.js', '#b': './b.js' } });
});

it('pyproject.toml: sections of the gate of the base, the others of the work', () => {
  const now =
    '[project]\ndependencies = ["new"]\n\n[tool.pytest.ini_options]\naddopts = "--co"\n\n[tool.black]\nline-length = 99\n';
  const before = '[project]\ndependencies = []\n\n[tool.pytest.ini_options]\naddopts = "-q"\n';
  const text = graft(now, before, part('pyproject.toml')) ?? '';
  expect(text).toContain('dependencies = ["new"]');
  expect(text).toContain('line-length = 99');
  expect(text).toContain('addopts = "-q"');
  expect(text).not.toContain('--co');
  expect(cut(text, part('pyproject.toml'))).toBe(cut(before, part('pyproject.toml')));
});

it('of any other file all counts', () => {
  expect(partOf('vitest.config.ts')).toBeUndefined();
});
