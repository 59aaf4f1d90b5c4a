/** Which scripts of a `package.json` `init` proposes: those whose programs a dependency gives or the machine has. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proposeCommands } from '../../../src/client/init/commands.js';
import { put } from '../git/repo.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-init-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const proposed = async (files: Record<string, string>, folder = '', absent: string[] = []) => {
  await put(dir, files);
  const installed = async (program: string) => !absent.includes(program);
  const { gate, missing } = await proposeCommands({ dir: join(dir, folder), root: dir, installed });
  return { gate: gate.map(({ run }) => run), missing: missing.map(({ program, run }) => `${program}: ${run}`) };
};

describe('A2: a script of package.json whose program', () => {
  const project = (lint: string, more: object = {}): string =>
    JSON.stringify({ scripts: { lint, test: 'node t' }, ...more });
  const both = { gate: ['npm run lint', 'npm test'] };

  it.each([
    'eslint .',
    'FIX=0 eslint .',
    'tsc --noEmit && eslint "a; b"',
    'npm run lint:js; true',
    'cat list | eslint --stdin',
  ])('is neither a dependency nor installed is left out: %s', async (lint) => {
    const text = project(lint).replace('"test":', '"lint:js":"eslint js","test":');
    expect(await proposed({ 'package.json': text }, '', ['eslint'])).toEqual({
      gate: ['npm test'],
      missing: ['eslint: npm run lint'],
    });
    expect(await proposed({ 'package.json': text })).toEqual({ ...both, missing: [] });
  });

  it.each<[string, string, Record<string, string>]>([
    ['is a dependency', 'eslint .', { 'package.json': project('eslint .', { devDependencies: { eslint: '9' } }) }],
    [
      'has the name of a scope',
      'biome',
      {
        'package.json': project('biome check', { devDependencies: { '@biomejs/biome': '2' } }),
      },
    ],
    [
      'has another name than its package',
      'tsc',
      {
        'package.json': project('tsc -p .', { dependencies: { typescript: '5' } }),
      },
    ],
    [
      'comes with a dependency',
      'eslint',
      {
        'package.json': project('eslint .', { dependencies: { 'react-scripts': '5' } }),
        'package-lock.json': '{"packages":{"node_modules/eslint":{"bin":{"eslint":"bin/eslint.js"}}}}',
      },
    ],
    ['is in node_modules', 'own', { 'package.json': project('own'), 'node_modules/.bin/own': '' }],
    ['is of the shell', 'echo', { 'package.json': project('! test -e bad && echo fine') }],
    ['is a file', 'lint.sh', { 'package.json': project('./lint.sh && scripts/lint.sh') }],
    ['is named in quotes only', 'eslint', { 'package.json': project('node -e "x; eslint y"') }],
    ['runs only after a failure', 'eslint', { 'package.json': project('node x || eslint y') }],
  ])('%s is proposed: %s', async (_, program, files) => {
    expect((await proposed(files, '', [program, 'eslint', 'test'])).gate).toEqual(both.gate);
  });

  it('is a dependency at the top of a workspace is proposed', async () => {
    const top = JSON.stringify({ workspaces: ['a'], devDependencies: { eslint: '9' } });
    const files = { 'package.json': top, 'a/package.json': project('eslint .') };
    expect((await proposed(files, 'a', ['eslint'])).gate).toEqual(['cd a && npm run lint', 'cd a && npm test']);
  });
});
