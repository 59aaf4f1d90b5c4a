/** The part of a file that belongs to the gate, put into a newer version of it (F3). */
import { expect, it } from 'vitest';
import { cut, graft, partOf } from '../../../src/gate/tripwires/parts.js';
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
