/** Which scripts of which packages a command starts, and which of a script's neighbours are the gate's. Feature: D3. */
import { describe, expect, it } from 'vitest';
import { ownFiles } from '../../../src/gate/tripwires/own-files.js';
import { isMeant, packageCall } from '../../../src/gate/tripwires/packages.js';

describe('a call of a package manager', () => {
  it.each([
    ['npm t', { names: ['test'] }],
    ['npm run -s lint -- --fix', { names: ['lint'] }],
    ['npm --prefix web run test', { names: ['test'], dir: 'web' }],
    ['npm test -w packages/a --workspace=b', { names: ['test'], packages: ['packages/a', 'b'] }],
    ['pnpm -w test', { names: ['test'] }],
    ['pnpm -r run test', { names: ['test'], packages: 'all' }],
    ['pnpm --filter ./packages/* test', { names: ['test'], packages: ['./packages/*'] }],
    ['yarn workspace a test', { names: ['test'], packages: ['a'] }],
    ['yarn workspaces foreach -A run test', { names: ['test'], packages: 'all' }],
    ['npx turbo run lint test', { names: ['lint', 'test'], packages: 'all' }],
    ['nx run-many -t test,lint', { names: ['test', 'lint'], packages: 'all' }],
  ])('%s', (command, call) => {
    expect(packageCall(command.split(' '))).toEqual(call);
  });

  it.each(['npm', 'sh check.sh', '', 'npx'])('none: %s', (command) => {
    expect(packageCall(command.split(' '))).toBeUndefined();
  });

  it('means packages by folder, by name, without its scope, or by a pattern', () => {
    const of = (...packages: string[]) => isMeant({ names: ['test'], packages }, 'packages/a', '@x/a');
    for (const one of ['packages/a', './packages/a/', '@x/a', 'a', './packages/*', '...b']) expect(of(one)).toBe(true);
    for (const one of ['packages/b', 'b', '@y/a']) expect(of(one)).toBe(false);
  });
});

describe('beside a script at the top', () => {
  const scripts = async (files: Record<string, string>, command = 'node check.mjs') => {
    const read = async (path: string) => files[path];
    const all = async () => Object.keys(files);
    const found = await ownFiles([command], { read, all, skip: (path) => path.startsWith('test/') });
    return found.scripts.sort();
  };
  const check = "import './lib.mjs';\nimport './add.mjs';\n";

  it('what only it imports is the gate’s', async () => {
    expect(await scripts({ 'check.mjs': check, 'lib.mjs': '', 'add.mjs': '' })).toEqual(['check.mjs', 'lib.mjs']);
  });

  it('what tests, the product or users of the package import is the product', async () => {
    const user = "import '../lib.mjs';\n";
    expect(await scripts({ 'check.mjs': check, 'lib.mjs': '', 'test/a.test.js': user })).toEqual(['check.mjs']);
    expect(await scripts({ 'check.mjs': check, 'lib.mjs': '', 'src/a.js': user })).toEqual(['check.mjs']);
    expect(await scripts({ 'check.mjs': check, 'lib.mjs': '', 'package.json': '{"main":"./lib.mjs"}' })).toEqual([
      'check.mjs',
    ]);
  });

  it('a shell script finds its own by its folder', async () => {
    const files = {
      'ci/a.sh': 'cd "$(dirname "$0")/.."\nsource ci/b.sh\nsh "$HERE/c.sh"\n',
      'ci/b.sh': ':\n',
      'ci/c.sh': ':\n',
    };
    expect(await scripts(files, 'bash ci/a.sh')).toEqual(['ci/a.sh', 'ci/b.sh', 'ci/c.sh']);
  });
});

describe('a new file in the place of what a script loads', () => {
  const shadows = async (files: Record<string, string>, command: string) => {
    const all = async () => Object.keys(files);
    const found = await ownFiles([command], { read: async (path) => files[path], all, skip: () => false });
    return found.shadows;
  };

  it('D3: counts beside a Python script: the standard library and what it imports', async () => {
    const files = {
      'tools/verify.py': 'import json, sys\nfrom requests.adapters import x\nimport near\n',
      'tools/near.py': 'import yaml\n',
      'tools/csv.py': '',
    };
    const found = await shadows(files, 'python3 tools/verify.py');
    // A module of the library imports others.
    const fresh = ['tools/json.py', 'tools/json/__init__.py', 'tools/re.py', 'tools/requests.py', 'tools/yaml.py'];
    expect(found).toEqual(expect.arrayContaining(fresh));
    // The base has these.
    for (const one of ['tools/near.py', 'tools/csv.py', 'json.py']) expect(found).not.toContain(one);
    expect(await shadows({ 'check.py': 'import json\n' }, 'python3 check.py')).toContain('json.py');
  });

  it('D3: counts where an import finds it first', async () => {
    const files = { 'tools/check.js': "require('./lib');\n", 'tools/lib.mjs': '' };
    const found = await shadows(files, 'node tools/check.js');
    expect(found).toEqual(expect.arrayContaining(['tools/lib', 'tools/lib.js', 'tools/lib/index.js']));
    expect(await shadows({ 'a.sh': ':\n' }, 'sh a.sh')).toEqual([]);
  });
});
