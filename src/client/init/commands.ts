/**
 * Finds the commands that check a project and those that prepare a fresh checkout, from the project's own files.
 * Invariant: reads only; proposes nothing that no file of the project names, and no check whose program is not installed.
 */
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { MIB, readInput } from '../../config/read-input.js';
import { shellWord } from '../../protocol/shell-words.js';
import { node } from './node.js';
import { type Candidate, type Candidates, NOTHING, type Proposal, type Read } from './proposal.js';
import { python } from './python.js';

export interface ProjectFolder {
  /** Folder of the project. */
  dir: string;
  /** Top of the repository that holds it. */
  root: string;
  /** Is there a program of this name on PATH? */
  installed: (program: string) => Promise<boolean>;
}

/** A file that is too large, or not a regular one, proposes nothing. */
const readText = (path: string): Promise<string | undefined> =>
  readInput(path, MIB).then(
    (bytes) => bytes.toString('utf8'),
    () => undefined,
  );

/** Commands as they run at the top of the repository. */
export async function proposeCommands({ dir, root, installed }: ProjectFolder): Promise<Proposal> {
  const read: Read = (file) => readText(join(dir, file));
  const list = (inner: string): Promise<string[]> => readdir(join(dir, inner)).catch(() => []);
  const folder = relative(root, dir);
  const all = [
    await node(read, above(folder), list),
    await python(read, { list, installed }),
    await rust(read),
    await go(read),
    await others(read),
  ];
  const gate = all.flatMap((one) => one.gate);
  // A Makefile wraps the commands of other files, so it counts only when they name none.
  const named = gate.length > 0 ? gate : await make(read);
  const found = named.length > 0 ? named : await ci(read);
  const setups = all.flatMap(({ setup }) => (setup ? [setup] : []));
  const [checks, makers] = await Promise.all([sort(found, installed), sort(setups, installed)]);
  const there = ({ run, from, within = '' }: Candidate) => ({ run: at(join(folder, within), run), from });
  const missing = [...makers.missing, ...checks.missing].map((one) => ({ ...there(one), program: one.program }));
  const setup = makers.here.map(there);
  return {
    gate: checks.here.map(there),
    setup: setup.length > 0 ? { run: joined(setup), from: setup.map(({ from }) => from).join(', ') } : undefined,
    missing,
  };
}

/** Commands run at the top of the repository, whichever folder holds the project. */
const at = (folder: string, run: string): string =>
  folder === '' || folder === '.' || folder === './' ? run : `cd ${shellWord(folder)} && ${run}`;

/** One shell line. Each command starts in the folder where the first one does. */
const joined = (setup: readonly { run: string }[]): string =>
  setup.length === 1
    ? (setup[0]?.run ?? '')
    : setup.map(({ run }) => (/^cd /.test(run) ? `(${run})` : run)).join(' && ');

/** `../` and so on up to the top, for each folder above the project. */
const above = (folder: string): string[] => (folder === '' ? [] : folder.split('/').map((_, n) => '../'.repeat(n + 1)));

async function sort(
  all: readonly Candidate[],
  installed: ProjectFolder['installed'],
): Promise<{ here: Candidate[]; missing: (Candidate & { program: string })[] }> {
  const here: Candidate[] = [];
  const missing: (Candidate & { program: string })[] = [];
  for (const one of all) {
    const absent: string[] = [];
    for (const program of one.needs) if (!(await installed(program))) absent.push(program);
    if (absent[0] === undefined) here.push(one);
    else missing.push({ ...one, program: absent[0] });
  }
  return { here, missing };
}

const candidate = (run: string, from: string, ...needs: string[]): Candidate => ({ run, from, needs });

async function rust(read: Read): Promise<Candidates> {
  const from = 'Cargo.toml';
  if ((await read(from)) === undefined) return NOTHING;
  const clippy = candidate('cargo clippy --all-targets -- -D warnings', from, 'cargo', 'cargo-clippy');
  return { gate: [clippy, candidate('cargo test', from, 'cargo')] };
}

async function go(read: Read): Promise<Candidates> {
  if ((await read('go.mod')) === undefined) return NOTHING;
  return { gate: ['go vet ./...', 'go test ./...'].map((run) => candidate(run, 'go.mod', 'go')) };
}

async function others(read: Read): Promise<Candidates> {
  const gate: Candidate[] = [];
  const setups: Candidate[] = [];
  const gemfile = await read('Gemfile');
  if (gemfile !== undefined) {
    gate.push(candidate(/\brspec/.test(gemfile) ? 'bundle exec rspec' : 'bundle exec rake', 'Gemfile', 'bundle'));
    setups.push(candidate('bundle install --quiet', 'Gemfile', 'bundle'));
  }
  const composer = await read('composer.json');
  if (composer !== undefined && /"test"\s*:/.test(composer)) {
    gate.push(candidate('composer test', 'composer.json', 'composer'));
    setups.push(candidate('composer install --no-interaction', 'composer.json', 'composer'));
  }
  if ((await read('mix.exs')) !== undefined) {
    gate.push(candidate('mix test', 'mix.exs', 'mix'));
    setups.push(candidate('mix deps.get', 'mix.exs', 'mix'));
  }
  if ((await read('gradlew')) !== undefined) gate.push(candidate('./gradlew check', 'gradlew'));
  else if ((await read('pom.xml')) !== undefined) gate.push(candidate('mvn -q -B verify', 'pom.xml', 'mvn'));
  const deno = (await read('deno.json')) ?? (await read('deno.jsonc'));
  if (deno !== undefined) gate.push(candidate('deno test -A', 'deno.json', 'deno'));
  const [setup] = setups;
  return { gate, setup };
}

const TARGETS = ['lint', 'check', 'test'];

async function make(read: Read): Promise<Candidate[]> {
  for (const [file, program] of [
    ['Makefile', 'make'],
    ['justfile', 'just'],
    ['Justfile', 'just'],
  ] as const) {
    const text = await read(file);
    if (text === undefined) continue;
    const has = (target: string): boolean => new RegExp(`^${target}\\b[^=\\n]*:(?!=)`, 'm').test(text);
    return TARGETS.filter(has).map((target) => candidate(`${program} ${target}`, file, program));
  }
  return [];
}

/** One-line steps of CI that look like checks. */
async function ci(read: Read): Promise<Candidate[]> {
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
    if (checks.length > 0) return checks.slice(0, 5).map((run) => candidate(run, file, ...plainProgram(run)));
  }
  return [];
}

const SHELL_WORDS = new Set(['.', 'cd', 'eval', 'exec', 'export', 'for', 'if', 'set', 'source', 'test', 'while']);

/** The first word of a line, when it can be a program on PATH. */
function plainProgram(run: string): string[] {
  const [first = ''] = run.split(/\s+/);
  return /^[\w.+-]+$/.test(first) && !SHELL_WORDS.has(first) ? [first] : [];
}
