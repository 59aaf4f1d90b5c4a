/** Checks and installation of a project with a `package.json`. Reads only. */
import type { Candidate, Candidates, Read } from './proposal.js';
import { NOTHING } from './proposal.js';
import { DEPENDENCIES, givenBy, type PackageJson, packageAt, programsOf } from './scripts.js';

/** Cheapest first, so that a red gate fails fast. */
const SCRIPTS = ['lint', 'format:check', 'typecheck', 'type-check', 'types', 'tsc', 'check', 'build', 'test'];
const NO_TEST = /no test specified/;

const LOCKFILES = [
  { lockfile: 'pnpm-lock.yaml', name: 'pnpm', install: 'pnpm install --frozen-lockfile' },
  { lockfile: 'yarn.lock', name: 'yarn', install: 'yarn install --immutable' },
  { lockfile: 'bun.lock', name: 'bun', install: 'bun install --frozen-lockfile' },
  { lockfile: 'bun.lockb', name: 'bun', install: 'bun install --frozen-lockfile' },
  { lockfile: 'package-lock.json', name: 'npm', install: 'npm ci' },
  { lockfile: 'npm-shrinkwrap.json', name: 'npm', install: 'npm ci' },
] as const;

/** Writes no lock file: an agent's commit would contain it. */
const WITHOUT_LOCKFILE: Readonly<Record<string, string>> = {
  npm: 'npm install --no-package-lock',
  pnpm: 'pnpm install --no-lockfile',
  yarn: 'yarn install --no-lockfile',
  bun: 'bun install --no-save',
};

/** `above`: folders between the project and the top of the repository, nearest first; one may hold the lock file of a workspace. */
export async function node(
  read: Read,
  above: readonly string[],
  list: (folder: string) => Promise<string[]>,
): Promise<Candidates> {
  const project = await packageAt(read);
  if (!project) return NOTHING;
  const { scripts = {} } = project;
  const { name: manager, setup } = await installation(read, project, above);
  const names = SCRIPTS.filter((name) => typeof scripts[name] === 'string' && !NO_TEST.test(String(scripts[name])));
  const command = (name: string): string =>
    name === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${name}`;
  const given = await givenBy(project, { read, list, above });
  const needs = (name: string): string[] => [
    ...new Set([manager, ...programsOf(scripts, name).filter((program) => !given(program))]),
  ];
  return {
    gate: names.map((name) => ({ run: command(name), from: 'package.json', needs: needs(name) })),
    setup,
  };
}

async function installation(
  read: Read,
  project: PackageJson,
  above: readonly string[],
): Promise<{ name: string; setup?: Candidate }> {
  for (const folder of ['', ...above]) {
    for (const { lockfile, name, install } of LOCKFILES) {
      if ((await read(`${folder}${lockfile}`)) === undefined) continue;
      return { name, setup: { run: install, from: `${folder}${lockfile}`, needs: [name], within: folder } };
    }
  }
  const wanted = /^(npm|pnpm|yarn|bun)@/.exec(String(project.packageManager ?? ''))?.[1] ?? 'npm';
  const some =
    DEPENDENCIES.some((key) => Object.keys(project[key] ?? {}).length > 0) || project.workspaces !== undefined;
  const run = WITHOUT_LOCKFILE[wanted];
  return some && run ? { name: wanted, setup: { run, from: 'package.json', needs: [wanted] } } : { name: wanted };
}
