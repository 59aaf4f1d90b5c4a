/**
 * Programs that the scripts of a `package.json` start and that no dependency of the project gives.
 * Invariant: a script that cannot be read as plain commands names none. Where a dependency may give the program, it
 * does: a check that is missing costs more than one that `doctor` finds red.
 */
import type { Read } from './proposal.js';

export const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

export interface PackageJson extends Partial<Record<(typeof DEPENDENCIES)[number], object>> {
  scripts?: Record<string, unknown>;
  packageManager?: unknown;
  workspaces?: unknown;
}

/** Undefined where there is none that can be read. */
export async function packageAt(read: Read, folder = ''): Promise<PackageJson | undefined> {
  try {
    return (JSON.parse((await read(`${folder}package.json`)) ?? '') ?? {}) as PackageJson;
  } catch {
    return undefined;
  }
}

interface Place {
  read: Read;
  list: (folder: string) => Promise<string[]>;
  /** As in `node`. */
  above: readonly string[];
}

/** Tells whether the project gives a program to its scripts: npm looks into the folders above, too. */
export async function givenBy(project: PackageJson, { read, list, above }: Place): Promise<(name: string) => boolean> {
  const names = new Set(namesIn(project));
  const programs = new Set<string>();
  for (const folder of ['', ...above]) {
    if (folder !== '') for (const name of namesIn((await packageAt(read, folder)) ?? {})) names.add(name);
    for (const name of await list(`${folder}node_modules/.bin`)) programs.add(name);
    for (const name of await lockedPrograms(read, folder)) programs.add(name);
  }
  return (program) => programs.has(program) || [...names].some((name) => mayGive(name, program));
}

const namesIn = (project: PackageJson): string[] => DEPENDENCIES.flatMap((key) => Object.keys(project[key] ?? {}));

async function lockedPrograms(read: Read, folder: string): Promise<string[]> {
  for (const file of ['package-lock.json', 'npm-shrinkwrap.json']) {
    try {
      const lock = JSON.parse((await read(folder + file)) ?? '') as { packages?: Record<string, { bin?: unknown }> };
      return Object.values(lock.packages ?? {}).flatMap(({ bin }) => Object.keys(Object(bin) as object));
    } catch {}
  }
  return [];
}

/** Packages whose programs have names of their own. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  attw: ['@arethetypeswrong/cli'],
  depcruise: ['dependency-cruiser'],
  ng: ['@angular/cli'],
  'run-p': ['npm-run-all', 'npm-run-all2'],
  'run-s': ['npm-run-all', 'npm-run-all2'],
  sls: ['serverless'],
  'svelte-kit': ['@sveltejs/kit'],
  tsc: ['typescript'],
  tsgo: ['@typescript/native-preview'],
  'wp-scripts': ['@wordpress/scripts'],
  wtr: ['@web/test-runner'],
};

/** `@biomejs/biome` gives `biome`, `webpack-cli` gives `webpack`, `@nestjs/cli` gives `nest`. */
function mayGive(dependency: string, program: string): boolean {
  if (ELSEWHERE[program]?.includes(dependency)) return true;
  const [, scope = '', name = ''] = /^(?:@([^/]+)\/)?(.+)$/.exec(dependency) ?? [];
  const near = name === program || name.startsWith(`${program}-`) || name.endsWith(`-${program}`);
  return near || (scope !== '' && (scope.startsWith(program) || `${scope}-${name}` === program));
}

const BUILT_IN = new Set(
  '. : [ break case cd command echo else eval exec exit export false fi for if printf pwd read return set shift source test then time trap true type ulimit umask unset until wait while do done esac'.split(
    ' ',
  ),
);
/** A script may start others of the same file. */
const OTHER_SCRIPT = /^(?:npm|pnpm|yarn|bun) (?:run|run-script) ([\w:.-]+)/;

/** First words of the commands of a script, also of those that it starts. `||` begins what runs after a failure. */
export function programsOf(
  scripts: Readonly<Record<string, unknown>>,
  name: string,
  seen = new Set<string>(),
): string[] {
  const script = scripts[name];
  if (typeof script !== 'string' || seen.has(name)) return [];
  seen.add(name);
  const plain = script.replace(/"(?:\\.|[^"\\])*"|'[^']*'/g, '""');
  const commands = plain.split(/&&|[;\n]/).flatMap((part) => (part.split('||')[0] ?? '').split('|'));
  const found = commands.flatMap((command) => {
    const words = command.trim().replace(/^(?:\w+=\S*\s+)+/, '');
    const other = OTHER_SCRIPT.exec(words)?.[1];
    const [first = ''] = words.split(/\s+/);
    const own = /^[\w@+-][\w.@+-]*$/.test(first) && !BUILT_IN.has(first) ? [first] : [];
    return [...own, ...(other === undefined ? [] : programsOf(scripts, other, seen))];
  });
  return [...new Set(found)];
}
