/** What `init` proposes for projects of many kinds. Everything it writes is a valid configuration. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proposeCommands } from '../../../src/client/init/commands.js';
import { configDocument } from '../../../src/client/init/document.js';
import { parseConfig } from '../../../src/config/load.js';
import { put } from '../git/repo.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-init-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const proposed = async (files: Record<string, string>) => {
  await put(dir, files);
  const { gate, setup } = await proposeCommands(dir);
  return { gate: gate.map((one) => one.run), ...(setup ? { setup: setup.run } : {}) };
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
    ['ruby', { Gemfile: "gem 'rspec'" }, { gate: ['bundle exec rspec'] }],
    ['nothing', {}, { gate: [] }],
  ])('%s', async (_, files, expected) => {
    expect(await proposed(files)).toEqual(expected);
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
