/** What `init` proposes for projects of many kinds. Everything it writes is a valid configuration. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBacklog } from '../../../src/backlog/index.js';
import { summary } from '../../../src/client/commands/setup/init.js';
import { findBacklogFor } from '../../../src/client/init/backlog.js';
import { proposeCommands } from '../../../src/client/init/commands.js';
import { configDocument, projectFolder } from '../../../src/client/init/document.js';
import { parseConfig } from '../../../src/config/load.js';
import { copyTo, FIXTURES } from '../backlog/fixtures.js';
import { put } from '../git/repo.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-init-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const proposed = async (files: Record<string, string>, folder = '', absent: string[] = []) => {
  await put(dir, files);
  const installed = async (program: string) => !absent.includes(program);
  const { gate, setup, missing } = await proposeCommands({ dir: join(dir, folder), root: dir, installed });
  return {
    gate: gate.map((one) => one.run),
    ...(setup ? { setup: setup.run } : {}),
    ...(missing.length > 0 ? { missing: missing.map(({ program, run }) => `${program}: ${run}`) } : {}),
  };
};
const scripts = (...names: string[]): string =>
  JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, 'x'])) });

describe('commands of a project', () => {
  it.each<[string, Record<string, string>, object]>([
    [
      'npm, cheapest first',
      { 'package.json': scripts('test', 'lint', 'dev'), 'package-lock.json': '{}' },
      { gate: ['npm run lint', 'npm test'], setup: 'npm ci' },
    ],
    [
      'pnpm',
      { 'package.json': scripts('test', 'typecheck'), 'pnpm-lock.yaml': '' },
      { gate: ['pnpm run typecheck', 'pnpm test'], setup: 'pnpm install --frozen-lockfile' },
    ],
    [
      'the test script that npm init writes is none',
      { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
      { gate: [] },
    ],
    ['a broken package.json', { 'package.json': '{' }, { gate: [] }],
    [
      'python with uv',
      { 'pyproject.toml': '[dependency-groups]\ndev = ["pytest>=8", "ruff"]\n', 'uv.lock': '' },
      { gate: ['uv run ruff check .', 'uv run pytest -q'], setup: 'uv sync --frozen' },
    ],
    ['python without a tool', { 'pyproject.toml': '[project]\nname = "x"\n' }, { gate: [] }],
    ['python with unittest alone', { 'test_sum.py': 'import unittest\n' }, { gate: ['python3 -m unittest'] }],
    [
      'unittest in a folder that is no package',
      { 'pyproject.toml': '[project]\nname = "x"\n', 'tests/test_sum.py': 'from unittest import TestCase\n' },
      { gate: ['python3 -m unittest discover -s tests'] },
    ],
    [
      'unittest and a list of requirements',
      { 'requirements.txt': 'requests\n', 'tests/__init__.py': '', 'tests/test_sum.py': 'import unittest\n' },
      {
        gate: ['.venv/bin/python -m unittest'],
        setup: 'python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt',
      },
    ],
    ['test files that no unittest is in', { 'test_sum.py': 'def test_x():\n    assert True\n' }, { gate: [] }],
    ['cargo', { 'Cargo.toml': '' }, { gate: ['cargo clippy --all-targets -- -D warnings', 'cargo test'] }],
    ['go', { 'go.mod': 'module x' }, { gate: ['go vet ./...', 'go test ./...'] }],
    [
      'make, where nothing else says more',
      { Makefile: 'CHECK := 1\ntest: build\n\ttrue\nlint:\n' },
      { gate: ['make lint', 'make test'] },
    ],
    [
      'not make beside a package.json',
      { Makefile: 'test:\n', 'package.json': scripts('test') },
      { gate: ['npm test'] },
    ],
    [
      'CI as the last hint',
      {
        '.github/workflows/ci.yml':
          'steps:\n  - run: ./configure\n  - run: tox -e py\n  - run: "sh test.sh"\n  - run: echo test $' + '{{ x }}\n',
      },
      { gate: ['tox -e py', 'sh test.sh'] },
    ],
    ['ruby', { Gemfile: "gem 'rspec'" }, { gate: ['bundle exec rspec'], setup: 'bundle install --quiet' }],
    [
      'npm without a lock file, and without writing one',
      { 'package.json': '{"scripts":{"test":"ava"},"devDependencies":{"ava":"6"}}' },
      { gate: ['npm test'], setup: 'npm install --no-package-lock' },
    ],
    [
      'the manager that package.json names',
      { 'package.json': '{"packageManager":"pnpm@9.1.0","scripts":{"test":"ava"},"dependencies":{"ava":"6"}}' },
      { gate: ['pnpm test'], setup: 'pnpm install --no-lockfile' },
    ],
    ['a package without dependencies', { 'package.json': scripts('test') }, { gate: ['npm test'] }],
    [
      'python with lists of requirements, in a virtual environment of its own',
      { 'requirements.txt': 'requests\n', 'requirements-dev.txt': 'pytest==8\n', 'pyproject.toml': '[tool.mypy]\n' },
      {
        gate: ['mypy .', '.venv/bin/python -m pytest -q'],
        setup:
          'python3 -m venv .venv && .venv/bin/python -m pip install -q -r requirements.txt -r requirements-dev.txt',
      },
    ],
    [
      'python with extras',
      {
        'pyproject.toml':
          '[project]\nname = "x"\n[project.optional-dependencies]\ndev = [\n  "pytest>=8",\n]\ndocs = ["sphinx"]\n',
      },
      {
        gate: ['.venv/bin/python -m pytest -q'],
        setup: "python3 -m venv .venv && .venv/bin/python -m pip install -q -e '.[dev]'",
      },
    ],
    [
      'two kinds at once',
      { 'package.json': scripts('test'), 'package-lock.json': '', 'uv.lock': '', 'pyproject.toml': 'pytest' },
      { gate: ['npm test', 'uv run pytest -q'], setup: 'npm ci && uv sync --frozen' },
    ],
    ['nothing', {}, { gate: [] }],
  ])('%s', async (_, files, expected) => {
    expect(await proposed(files)).toEqual(expected);
  });

  it('proposes unittest where pytest is named and not installed', async () => {
    const project = { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'test_sum.py': 'import unittest\n' };
    expect(await proposed(project, '', ['pytest'])).toEqual({
      gate: ['python3 -m unittest'],
      missing: ['pytest: pytest -q'],
    });
    expect((await proposed(project)).gate).toEqual(['pytest -q']);
  });

  it('are those that are installed; the others are named', async () => {
    const files = { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n[tool.pytest.ini_options]\n', 'Cargo.toml': '' };
    expect(await proposed(files, '', ['ruff', 'mypy', 'cargo-clippy'])).toEqual({
      gate: ['pytest -q', 'cargo test'],
      missing: ['ruff: ruff check .', 'mypy: mypy .', 'cargo-clippy: cargo clippy --all-targets -- -D warnings'],
    });
  });

  it('of a folder run at the top of the repository', async () => {
    await put(dir, { 'package-lock.json': '{}', 'package.json': scripts('lint') });
    expect(await proposed({ 'apps/web/package.json': scripts('test') }, 'apps/web')).toEqual({
      gate: ['cd apps/web && npm test'],
      setup: 'npm ci',
    });
    const own = { 'it’s own/package.json': scripts('test'), 'it’s own/package-lock.json': '{}' };
    expect(await proposed(own, 'it’s own')).toEqual({
      gate: ["cd 'it’s own' && npm test"],
      setup: "cd 'it’s own' && npm ci",
    });
  });
});

it('every document is a valid configuration that says what was found', () => {
  const word = fc.string({ minLength: 1 }).filter((text) => /\S/.test(text) && !/[\p{C}\u2028\u2029]/u.test(text));
  fc.assert(
    fc.property(
      fc.subarray(['claude', 'codex', 'gemini', 'pi']),
      fc.array(word, { maxLength: 4 }),
      fc.option(word, { nil: undefined }),
      (agents, gate, setup) => {
        const text = configDocument({
          agents,
          gate: gate.map((run) => ({ run, from: 'package.json' })),
          missing: gate.map((run) => ({ run, from: 'package.json', program: 'x' })),
          ...(setup === undefined ? {} : { setup: { run: setup, from: 'x' } }),
          target: 'main',
          backlog: 'docs/roadmap.md',
        });
        const config = parseConfig(text, 'ralphctl.yaml');
        expect(config.gate.commands.map((one) => one.run)).toEqual(gate);
        expect(config).toMatchObject({
          agent: agents[0] ?? 'claude',
          target: 'main',
          backlog: 'docs/roadmap.md',
          slots: 3,
        });
        expect(config.setup.run).toEqual(setup);
      },
    ),
  );
});

it('without an agent CLI it names what works: a program of your own, or the demo', () => {
  const said = summary({ agents: [], gate: [], missing: [] });
  expect(said).toMatch(/^no agent CLI was found on PATH: .*command agent \(ralphctl help agents\).*ralphctl demo$/m);
  expect(said).not.toContain('scripted');
  expect(said).toContain('next: install an agent, then ralphctl doctor, then ralphctl start');
  expect(said).toContain('commit ralphctl.yaml and the backlog');
  expect(said).toMatch(/no backlog yet: write roadmap\.md, .*ralph: true/);
});

it('the configuration without an agent names the one for a rehearsal, and with an agent it does not', () => {
  const text = configDocument({ agents: [], gate: [], missing: [] });
  expect(text).toMatch(
    /^# agent: claude .*\n# agent: scripted +# for a rehearsal without a model, .*ralphctl help agents/m,
  );
  expect(parseConfig(text, 'ralphctl.yaml')).not.toMatchObject({ agent: 'scripted' });
  expect(configDocument({ agents: ['codex'], gate: [], missing: [] })).not.toContain('scripted');
});

describe('the backlog that init finds', () => {
  it.each(FIXTURES)('F5: $folder/$file is named with its format and configured', async (fixture) => {
    await copyTo(fixture, dir);
    const found = await findBacklogFor(dir);
    expect(found).toMatchObject({ backlog: fixture.file, backlogFormat: fixture.format });
    expect(found.backlogSays).toMatch(/^\d+ ideas? to do(?:, \d+ left out)?; read as .+/);
    const all = { agents: [], gate: [], missing: [], ...found };
    expect(parseConfig(configDocument(all), 'ralphctl.yaml')).toMatchObject({
      backlog: fixture.file,
      backlogFormat: fixture.format,
    });
    expect(summary(all)).toContain(`\nbacklog: ${fixture.file} (${found.backlogSays})\n`);
    // As a start of that configuration reads it.
    expect((await readBacklog(join(dir, fixture.file), { format: fixture.format })).ideas.length).toBeGreaterThan(0);
    expect(await projectFolder(dir, dirname(dir))).toBe(await realpath(dir));
  });

  it('is ralphctl’s own before those of other tools; one that cannot be read is named with its first problem', async () => {
    await put(dir, { 'prd.json': '{"userStories": 3}', 'notes.md': '# no backlog\n' });
    const broken = await findBacklogFor(dir);
    expect(broken).toMatchObject({
      backlog: 'prd.json',
      backlogSays: expect.stringMatching(/^it cannot be read: .*prd\.json:/),
    });
    expect(summary({ agents: [], gate: [], missing: [], ...broken })).toContain(
      'backlog: prd.json (it cannot be read: ',
    );
    await put(dir, { 'roadmap.md': '- [ ] **a-1**: Do it\n- [x] **a-2**: Done\n' });
    expect(await findBacklogFor(dir)).toEqual({ backlog: 'roadmap.md', backlogSays: '1 idea to do' });
  });

  it('is left to a person where there are several, and no plan of something else is taken', async () => {
    await put(dir, { 'docs/plans/trip.md': '# A trip\n\n- [ ] book\n', 'tasks.yaml': 'tasks: 3\n' });
    expect(await findBacklogFor(dir)).toEqual({});
    await put(dir, { 'specs/one/tasks.md': '- [ ] T001 Do\n', 'specs/two/tasks.md': '- [ ] T001 Do\n' });
    const found = await findBacklogFor(dir);
    expect(found).toEqual({ backlogs: ['specs/one/tasks.md', 'specs/two/tasks.md'] });
    const all = { agents: [], gate: [], missing: [], ...found };
    expect(configDocument(all)).toContain(
      '# More than one file could be it. Choose one:\n# backlog: "specs/one/tasks.md"\n',
    );
    expect(parseConfig(configDocument(all), 'ralphctl.yaml').backlog).toBeUndefined();
    // The limit that a single attempt has is no limit of 30.
    expect(configDocument(all)).toContain('30 iterations with ralph: true and a single one without');
    expect(summary(all)).toContain(
      'more than one file could be the backlog: specs/one/tasks.md, specs/two/tasks.md. Choose',
    );
  });
});
