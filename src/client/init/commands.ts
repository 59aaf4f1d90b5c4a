/**
 * Which commands check a project, and which make a fresh checkout ready, as its own files say.
 * Invariant: reads only; proposes nothing that a file of the project does not name.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Proposal {
  gate: { run: string; from: string }[];
  setup?: { run: string; from: string };
}

type Read = (file: string) => Promise<string | undefined>;

export async function proposeCommands(root: string): Promise<Proposal> {
  const read: Read = (file) => readFile(join(root, file), 'utf8').catch(() => undefined);
  const all = [await node(read), await python(read), await rust(read), await go(read), await others(read)];
  const gate = all.flatMap((one) => one.gate);
  const setup = all.find((one) => one.setup)?.setup;
  // A Makefile wraps what the others name: only where they name nothing.
  const found = gate.length > 0 ? gate : await make(read);
  const withCi = found.length > 0 ? found : await ci(read);
  return { gate: withCi, ...(setup ? { setup } : {}) };
}

/** Cheapest first: what fails fast should fail first. */
const SCRIPTS = ['lint', 'format:check', 'typecheck', 'type-check', 'types', 'tsc', 'check', 'build', 'test'];
const NO_TEST = /no test specified/;

async function node(read: Read): Promise<Proposal> {
  const text = await read('package.json');
  if (text === undefined) return { gate: [] };
  let scripts: Record<string, unknown> = {};
  try {
    scripts = (JSON.parse(text) as { scripts?: Record<string, unknown> }).scripts ?? {};
  } catch {
    return { gate: [] };
  }
  const manager = await packageManager(read);
  const names = SCRIPTS.filter((name) => typeof scripts[name] === 'string' && !NO_TEST.test(String(scripts[name])));
  const run = (name: string): string => (name === 'test' ? `${manager.name} test` : `${manager.name} run ${name}`);
  return {
    gate: names.map((name) => ({ run: manager.name === 'bun' ? `bun run ${name}` : run(name), from: 'package.json' })),
    ...(manager.install ? { setup: { run: manager.install, from: manager.lockfile } } : {}),
  };
}

const MANAGERS = [
  { lockfile: 'pnpm-lock.yaml', name: 'pnpm', install: 'pnpm install --frozen-lockfile' },
  { lockfile: 'yarn.lock', name: 'yarn', install: 'yarn install --immutable' },
  { lockfile: 'bun.lock', name: 'bun', install: 'bun install --frozen-lockfile' },
  { lockfile: 'bun.lockb', name: 'bun', install: 'bun install --frozen-lockfile' },
  { lockfile: 'package-lock.json', name: 'npm', install: 'npm ci' },
] as const;

async function packageManager(read: Read): Promise<{ name: string; lockfile: string; install?: string }> {
  for (const manager of MANAGERS) if ((await read(manager.lockfile)) !== undefined) return manager;
  return { name: 'npm', lockfile: '' };
}

async function python(read: Read): Promise<Proposal> {
  const [project = '', requirements = '', setupCfg = ''] = await Promise.all(
    ['pyproject.toml', 'requirements-dev.txt', 'setup.cfg'].map(read),
  );
  const all = `${project}\n${requirements}\n${setupCfg}`;
  if (all.trim() === '') return { gate: [] };
  const uv = (await read('uv.lock')) !== undefined;
  const poetry = (await read('poetry.lock')) !== undefined;
  const prefix = uv ? 'uv run ' : poetry ? 'poetry run ' : '';
  const uses = (tool: string): boolean => new RegExp(`(?:^|[\\s"'[.])${tool}(?:$|[\\s"'\\]=<>~.])`, 'm').test(all);
  const from = project ? 'pyproject.toml' : requirements ? 'requirements-dev.txt' : 'setup.cfg';
  const gate = [
    ...(uses('ruff') ? [{ run: `${prefix}ruff check .`, from }] : []),
    ...(uses('mypy') ? [{ run: `${prefix}mypy .`, from }] : []),
    ...(uses('pytest') ? [{ run: `${prefix}pytest -q`, from }] : []),
  ];
  if (uv) return { gate, setup: { run: 'uv sync --frozen', from: 'uv.lock' } };
  return poetry ? { gate, setup: { run: 'poetry install', from: 'poetry.lock' } } : { gate };
}

async function rust(read: Read): Promise<Proposal> {
  if ((await read('Cargo.toml')) === undefined) return { gate: [] };
  return {
    gate: ['cargo clippy --all-targets -- -D warnings', 'cargo test'].map((run) => ({ run, from: 'Cargo.toml' })),
  };
}

async function go(read: Read): Promise<Proposal> {
  if ((await read('go.mod')) === undefined) return { gate: [] };
  return { gate: ['go vet ./...', 'go test ./...'].map((run) => ({ run, from: 'go.mod' })) };
}

async function others(read: Read): Promise<Proposal> {
  const gate: Proposal['gate'] = [];
  const gemfile = await read('Gemfile');
  if (gemfile !== undefined)
    gate.push({ run: /\brspec/.test(gemfile) ? 'bundle exec rspec' : 'bundle exec rake', from: 'Gemfile' });
  const composer = await read('composer.json');
  if (composer !== undefined && /"test"\s*:/.test(composer)) gate.push({ run: 'composer test', from: 'composer.json' });
  if ((await read('mix.exs')) !== undefined) gate.push({ run: 'mix test', from: 'mix.exs' });
  if ((await read('gradlew')) !== undefined) gate.push({ run: './gradlew check', from: 'gradlew' });
  else if ((await read('pom.xml')) !== undefined) gate.push({ run: 'mvn -q -B verify', from: 'pom.xml' });
  const deno = (await read('deno.json')) ?? (await read('deno.jsonc'));
  if (deno !== undefined) gate.push({ run: 'deno test -A', from: 'deno.json' });
  return { gate };
}

const TARGETS = ['lint', 'check', 'test'];

async function make(read: Read): Promise<Proposal['gate']> {
  for (const [file, program] of [
    ['Makefile', 'make'],
    ['justfile', 'just'],
    ['Justfile', 'just'],
  ] as const) {
    const text = await read(file);
    if (text === undefined) continue;
    const has = (target: string): boolean => new RegExp(`^${target}\\b[^=\\n]*:(?!=)`, 'm').test(text);
    return TARGETS.filter(has).map((target) => ({ run: `${program} ${target}`, from: file }));
  }
  return [];
}

/** One-line steps of CI that look like checks. */
async function ci(read: Read): Promise<Proposal['gate']> {
  for (const name of ['ci.yml', 'ci.yaml', 'test.yml', 'tests.yml', 'build.yml', 'main.yml']) {
    const file = `.github/workflows/${name}`;
    const text = await read(file);
    if (text === undefined) continue;
    const runs = [...text.matchAll(/^\s*(?:- )?run:\s*([^|>\s].*)$/gm)].map((match) =>
      (match[1] ?? '').trim().replace(/^(['"])(.*)\1$/, '$2'),
    );
    const checks = runs.filter(
      (run) => /\b(?:test|lint|check|vet|clippy|pytest|tox|rspec)\b/.test(run) && !run.includes('${{'),
    );
    if (checks.length > 0) return checks.slice(0, 5).map((run) => ({ run, from: file }));
  }
  return [];
}
