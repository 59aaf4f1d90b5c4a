/** Tripwires on real commits: tests gone or skipped, files of the gate touched. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTripwires, parseDiff, type TripwireInput } from '../../../src/gate/tripwires/tripwires.js';
import { put } from '../git/repo.js';

let dir: string;
const git = (...args: string[]) => execa('git', args, { cwd: dir });
const RULES: TripwireInput['rules'] = { deletedTests: 'ask', newSkips: 'ask', gateFiles: 'ask' };
const SUITE = "test('adds', () => {});\ntest('takes', () => {});\n";

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl trip-')));
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'T');
  await git('config', 'user.email', 't@localhost');
  await put(dir, {
    'src/a.js': 'export const a = 1;\n',
    'test/a.test.js': SUITE,
    'test/b.test.js': "it('b', () => {});\n",
    'test/fixtures/x.test.js': SUITE,
    'check.sh': 'exit 0\n',
    'package.json': JSON.stringify({ scripts: { test: 'node --test' }, dependencies: {} }),
    'pyproject.toml': '[project]\nname = "x"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    Makefile: 'test:\n\ttrue\n',
    'jest.config.js': 'export default {};\n',
    'weird "name".test.js': SUITE,
  });
  await git('add', '-A');
  await git('commit', '-qm', 'start');
});
afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

async function trips(files: Record<string, string>, gone: string[] = [], more: Partial<TripwireInput> = {}) {
  await put(dir, files);
  for (const path of gone) await rm(join(dir, path));
  await git('add', '-A');
  await git('commit', '-qm', 'work', '--allow-empty');
  return findTripwires({
    worktree: dir,
    base: 'HEAD~1',
    rules: RULES,
    commands: ['sh check.sh', 'node --test'],
    ...more,
  });
}

describe('tripwires', () => {
  it('stay silent on ordinary work', async () => {
    const got = await trips(
      {
        'src/a.js': 'export const a = 2; // test.skip is fine here\n',
        'test/a.test.js': `${SUITE}test('more', () => {});\n`,
        'test/new.test.js': SUITE,
        'package.json': JSON.stringify({ scripts: { test: 'node --test' }, dependencies: { zod: '1' } }),
        'pyproject.toml': '[project]\nname = "y"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      },
      ['test/fixtures/x.test.js'],
    );
    expect(got).toEqual([]);
  });

  it('name a test file that is gone, and fewer tests in one that is there', async () => {
    const got = await trips({ 'test/a.test.js': "test('adds', () => {});\n" }, ['test/b.test.js']);
    expect(got).toEqual([
      { kind: 'deleted-test', subject: 'test/b.test.js' },
      { kind: 'deleted-test', subject: 'test/a.test.js: 1 test fewer' },
    ]);
  });

  it('let tests move', async () => {
    await git('mv', 'test/a.test.js', 'test/moved.test.js');
    expect(await trips({})).toEqual([]);
    const split = await trips({
      'test/moved.test.js': "test('adds', () => {});\n",
      'test/c.test.js': "test('takes', () => {});\n",
    });
    expect(split).toEqual([]);
  });

  it.each([
    ["test.skip('adds', () => {});\ntest('takes', () => {});\n", "test/a.test.js: test.skip('adds', () => {});"],
    [
      "test('adds', { skip: true }, () => {});\ntest('takes', () => {});\n",
      "test/a.test.js: test('adds', { skip: true }, () => {});",
    ],
    [`describe.only('x', () => {});\n${SUITE}`, "test/a.test.js: describe.only('x', () => {});"],
  ])('name a test that is skipped or focused: %s', async (text, subject) => {
    expect(await trips({ 'test/a.test.js': text })).toContainEqual({ kind: 'new-skip', subject });
  });

  it.each([
    ['tests/test_x.py', 'def test_a():\n    pass\n', '@pytest.mark.skip\ndef test_a():\n    pass\n'],
    ['x_test.go', 'func TestA(t *testing.T) {\n}\n', 'func TestA(t *testing.T) {\n\tt.Skip("later")\n}\n'],
    ['tests/x.rs', '#[test]\nfn a() {}\n', '#[test]\n#[ignore]\nfn a() {}\n'],
    ['src/test/ATest.java', '@Test\nvoid a() {}\n', '@Disabled\n@Test\nvoid a() {}\n'],
  ])('know the languages: %s', async (path, before, now) => {
    await trips({ [path]: before });
    expect(await trips({ [path]: now })).toMatchObject([{ kind: 'new-skip' }]);
  });

  it('name files that decide what the gate checks, new ones too (F3)', async () => {
    const got = await trips(
      {
        'check.sh': 'true\n',
        'package.json': JSON.stringify({ scripts: { test: 'true' }, dependencies: {} }),
        'pyproject.toml': '[project]\nname = "x"\n\n[tool.pytest.ini_options]\naddopts = "--ignore=tests"\n',
        'vitest.config.ts': 'new\n',
        Makefile: 'test:\n\tfalse\n',
      },
      ['jest.config.js'],
    );
    expect(got.map((one) => one.subject).sort()).toEqual([
      'check.sh',
      'jest.config.js',
      'package.json',
      'pyproject.toml',
      'vitest.config.ts',
    ]);
    const make = await trips({ Makefile: 'test:\n\techo\n' }, [], { commands: ['make test'] });
    expect(make).toEqual([{ kind: 'gate-file', subject: 'Makefile' }]);
  });

  it.each([
    ['pytest -q', '.pytest.ini', '[pytest]\naddopts = --co\n'],
    ['pytest -q', 'pytest.toml', '[pytest]\naddopts = ["--co"]\n'],
    ['python3 -m nose2', 'unittest.cfg', '[unittest]\n'],
    ['npx wdio run', 'wdio.conf.js', 'exports.config = {};\n'],
    ['npx mocha', 'test/mocha.opts', '--grep nothing\n'],
    ['dotnet test', 'ci/all.runsettings', '<RunSettings/>\n'],
    ['bundle exec rake', 'Rakefile', 'task :default\n'],
    ['npx grunt test', 'Gruntfile.js', '\n'],
    ['npx --yes gulp test', 'gulpfile.mjs', '\n'],
    ['composer test', 'composer.json', '{"scripts":{"test":"true"}}\n'],
    // The module beside the work is loaded in place of the installed one.
    ['.venv/bin/python -m pylint src', 'pylint/__main__.py', '\n'],
    ['uv run --frozen python -m pyright', 'pyright.py', '\n'],
    ['poetry run python3 -m twisted.trial', 'twisted/__init__.py', '\n'],
  ])('name what steers a runner (F3): %s: %s', async (command, path, text) => {
    const got = await trips({ [path]: text }, [], { commands: [command] });
    expect(got).toEqual([{ kind: 'gate-file', subject: path }]);
  });

  it('name the module of the repository that the gate runs, and no other file of its package', async () => {
    const commands = ['uv run python -m checks --all'];
    await trips({ 'checks/__main__.py': 'import sys\n', 'checks/data.txt': '1\n' });
    const changed = { 'checks/__main__.py': '\n', 'checks/data.txt': '2\n' };
    expect(await trips(changed, [], { commands })).toEqual([{ kind: 'gate-file', subject: 'checks/__main__.py' }]);
  });

  it('take dependencies in composer.json for everyday work', async () => {
    await trips({ 'composer.json': '{"scripts":{"test":"phpunit"}}\n' });
    const text = '{"scripts":{"test":"phpunit"},"require":{"a/b":"1"}}\n';
    expect(await trips({ 'composer.json': text }, [], { commands: ['composer test'] })).toEqual([]);
  });

  it('name what decides which ignored files worktrees get', async () => {
    expect(await trips({ '.worktreeinclude': '.npmrc\n' })).toEqual([
      { kind: 'gate-file', subject: '.worktreeinclude' },
    ]);
  });

  it('take a new package below the top for what it is', async () => {
    const files = {
      'packages/new/package.json': JSON.stringify({ scripts: { test: 'vitest' } }),
      'packages/new/tsconfig.json': '{}',
      'packages/new/pyproject.toml': '[project]\nname = "new"\n',
    };
    expect(await trips(files)).toEqual([]);
    const steering = await trips({ 'tests/pyproject.toml': '[tool.pytest.ini_options]\naddopts = "--co"\n' });
    expect(steering).toEqual([{ kind: 'gate-file', subject: 'tests/pyproject.toml' }]);
  });

  it('name what the scripts of the gate call, as the base has them', async () => {
    await trips({
      'package.json': JSON.stringify({ scripts: { test: 'bash ./ci/all.sh', pretest: 'node tools/lint.js' } }),
      'ci/all.sh': '#!/bin/bash\nset -e\ncd web && FAST=1 ./ci/unit\n',
      'web/ci/unit': '#!/bin/sh\nexec python3 run.py "$@"\n',
      'web/run.py': 'pass\n',
      'tools/lint.js': '//\n',
    });
    const changed = {
      'package.json': JSON.stringify({ scripts: { test: 'true' } }),
      'ci/all.sh': 'true\n',
      'web/ci/unit': 'true\n',
      'web/run.py': 'print(1)\n',
      'tools/lint.js': '\n',
    };
    const got = await trips(changed, [], { commands: ['npm test'] });
    expect(got.map((one) => one.subject).sort()).toEqual(Object.keys(changed).sort());
  });

  it.each([
    'node --check src/a.js && node --test test/a.test.js',
    'grep -q "x; src/a.js" README.md || test -f src/a.js',
    ['sh', '-c', 'cat src/a.js # && ./src/a.js'],
    'bash -n src/a.js',
    'python3 -m json.tool < src/a.js',
  ])('take no file for one of the gate that a command only names: %s', async (command) => {
    const got = await trips({ 'src/a.js': 'export const a = 3;\n' }, [], { commands: [command] });
    expect(got).toEqual([]);
  });

  it('let a test grow that the gate runs as a script, and name it when it loses something', async () => {
    await trips({ 'test/run.sh': 'test 1 = 1\n' });
    const commands = ['sh test/run.sh'];
    expect(await trips({ 'test/run.sh': 'test 1 = 1\ntest 2 = 2\n' }, [], { commands })).toEqual([]);
    expect(await trips({ 'test/run.sh': 'test 2 = 2\n' }, [], { commands })).toEqual([
      { kind: 'gate-file', subject: 'test/run.sh' },
    ]);
  });

  it('see tests that are commented out, or that an attribute hides', async () => {
    const commented = SUITE.replaceAll(/^/gm, '// ').replace(/\/\/ $/, '');
    expect(await trips({ 'test/a.test.js': commented })).toEqual([
      { kind: 'deleted-test', subject: 'test/a.test.js: 2 tests fewer' },
    ]);
    await trips({ 'test/a.test.js': SUITE, 'test/util.js': SUITE });
    expect(await trips({ '.gitattributes': '*.js -diff\n' }, ['test/util.js'])).toEqual([
      { kind: 'deleted-test', subject: 'test/util.js' },
    ]);
  });

  it('put what stops a landing first when there are many, and say how many more there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`test/n${n}.test.js`, SUITE]));
    await trips(many);
    const rules = { deletedTests: 'warn', newSkips: 'ask', gateFiles: 'ask' } as const;
    const got = await trips({ 'check.sh': 'true\n' }, Object.keys(many), { rules });
    expect(got[0]).toEqual({ kind: 'gate-file', subject: 'check.sh' });
    expect(got.at(-1)).toMatchObject({ warn: true, subject: expect.stringMatching(/, and 21 more like these$/) });
  });

  it('are not hidden behind many files of which nothing counts', async () => {
    const packages = (version: number) =>
      Object.fromEntries(
        Array.from({ length: 25 }, (_, n) => [`packages/p${n}/package.json`, JSON.stringify({ version })]),
      );
    await trips({ ...packages(1), 'vitest.config.js': 'export default {};\n' });
    const got = await trips({ ...packages(2), 'vitest.config.js': 'export default { test: {} };\n' });
    expect(got).toEqual([{ kind: 'gate-file', subject: 'vitest.config.js' }]);
  });

  it('follow the configuration', async () => {
    const rules = { deletedTests: 'off', newSkips: 'off', gateFiles: 'warn' } as const;
    const got = await trips({ 'check.sh': 'true\n' }, ['test/b.test.js'], { rules });
    expect(got).toEqual([{ kind: 'gate-file', subject: 'check.sh', warn: true }]);
  });

  it('read odd names and bounded lists', async () => {
    expect(await trips({}, ['weird "name".test.js'])).toEqual([
      { kind: 'deleted-test', subject: 'weird "name".test.js' },
    ]);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`test/n${n}.test.js`, SUITE]));
    await trips(many);
    expect(await trips({}, Object.keys(many))).toHaveLength(20);
  });
});

it('reading a diff never throws', () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom('diff --git a/x b/x', '@@ -1 +1 @@', '+++ b/x', '--- /dev/null', 'rename to "a'),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      for (const change of parseDiff(lines.join('\n'))) expect(typeof change.path).toBe('string');
    }),
  );
});
