/** Which packages' scripts a package manager or a task runner starts, by its words alone. Invariant: never throws. Pure. */

export interface PackageCall {
  /** Scripts, by name. */
  names: string[];
  /** Folder that it is told to run in, relative to where it is called. */
  dir?: string;
  /** Packages of the workspace: by name or folder, or all of them. Absent: the one that it is called in. */
  packages?: readonly string[] | 'all';
}

const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;
const RUNNERS = /^(?:turbo|lerna|nx)$/;
const STARTERS = /^(?:npx|pnpx|bunx)$/;
const DIR_FLAG = /^(?:-C|--dir|--cwd|--prefix)$/;
const PACKAGE_FLAG = /^(?:-w|--workspace|-F|--filter|--scope|-p|--projects?)$/;
const ALL_FLAG = /^(?:-r|--recursive|-ws|--workspaces)$/;
const TARGET_FLAG = /^(?:-t|--targets?)$/;

export function packageCall([program = '', ...rest]: readonly string[]): PackageCall | undefined {
  if (STARTERS.test(program))
    return packageCall(
      rest.slice(
        Math.max(
          0,
          rest.findIndex((word) => !word.startsWith('-')),
        ),
      ),
    );
  const runner = RUNNERS.test(program);
  if (!runner && !MANAGERS.test(program)) return undefined;
  const said = flagsOf(rest, program === 'pnpm' ? /^-w$/ : undefined);
  const [first = '', second = ''] = said.words;
  const words = [...said.words];
  let packages: PackageCall['packages'] = said.all || runner ? 'all' : undefined;
  if (said.packages.length > 0) packages = said.packages;
  if (first === 'workspace') {
    packages = [second];
    words.splice(0, 2);
  } else if (/^(?:workspaces|recursive|multi)$/.test(first)) {
    packages = 'all';
    words.shift();
    if (words[0] === 'foreach') words.shift();
  }
  if (/^(?:run|run-script|run-many|affected)$/.test(words[0] ?? '')) words.shift();
  const names = (runner ? [...said.targets, ...words] : words.slice(0, 1)).map(nameOf);
  if (names.length === 0) return undefined;
  return { names, dir: said.dir, packages };
}

/** `npm t`. */
const nameOf = (word: string): string => (/^(?:t|tst)$/.test(word) ? 'test' : word);

interface Said {
  words: string[];
  packages: string[];
  targets: string[];
  all: boolean;
  dir?: string;
}

function flagsOf(rest: readonly string[], plain: RegExp | undefined): Said {
  const said: Said = { words: [], packages: [], targets: [], all: false };
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    // What follows is for the script.
    if (word === '--') break;
    if (!word.startsWith('-')) {
      said.words.push(word);
      continue;
    }
    const [flag = '', inline] = word.split(/=(.*)/s);
    const value = (): string => inline ?? rest[++at] ?? '';
    if (plain?.test(flag)) continue;
    if (DIR_FLAG.test(flag)) said.dir = value();
    else if (PACKAGE_FLAG.test(flag)) said.packages.push(...value().split(','));
    else if (TARGET_FLAG.test(flag)) said.targets.push(...value().split(','));
    else if (ALL_FLAG.test(flag)) said.all = true;
  }
  return said;
}

const PATTERN = /[*!{}[\]^]|\.\.\./;

/** Whether a package of the workspace is meant; a pattern that is more than a name may mean any. */
export function isMeant({ packages }: PackageCall, folder: string, name: string | undefined): boolean {
  if (packages === 'all' || packages === undefined) return packages === 'all';
  return packages.some((one) => {
    const bare = one.replace(/^\.\//, '').replace(/\/+$/, '');
    return bare === folder || bare === name || name?.endsWith(`/${bare}`) === true || PATTERN.test(bare);
  });
}

/** What a manager runs under a name. */
export function packageScripts(content: string, name: string): string[] {
  const scripts = parsed(content).scripts as Record<string, unknown> | undefined;
  return [`pre${name}`, name, `post${name}`].flatMap((key) => {
    const text = scripts?.[key];
    return typeof text === 'string' ? [text] : [];
  });
}

export function nameIn(content: string): string | undefined {
  const { name } = parsed(content);
  return typeof name === 'string' ? name : undefined;
}

/** Files that users of the package load or run, top-relative. */
export function entryPoints(content: string): string[] {
  const { main, module, browser, types, bin, exports } = parsed(content);
  const texts = JSON.stringify([main ?? 'index.js', module, browser, types, bin, exports]).match(/"[^"]+"/g) ?? [];
  return texts.map((text) => text.slice(1, -1).replace(/^\.\//, ''));
}

function parsed(content: string): Record<string, unknown> {
  try {
    const whole: unknown = JSON.parse(content);
    return typeof whole === 'object' && whole !== null ? (whole as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
