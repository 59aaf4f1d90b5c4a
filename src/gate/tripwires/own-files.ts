/**
 * The files of a repository that the gate's commands run: scripts, build files of their tools, and the files that those
 * call.
 * Invariant: a file that a command only names, to read or to test it, does not count. The base decides, so that the
 * work cannot remove a file from the list; bounded.
 */
import { basename, dirname, extname, normalize } from 'node:path/posix';
import { imported } from './imports.js';
import { entryPoints, isMeant, nameIn, packageCall, packageScripts } from './packages.js';
import { BUILD_FILES, HELPER_NAME, PRODUCT_FOLDER, TOOL_FOLDER } from './patterns.js';
import { before, pythonShadows } from './shadows.js';
import { bare, preloaded, SETTINGS, setupFiles, simpleCommands, TAKES_FILE } from './shell-text.js';

/** The base. `all`: its paths; `skip`: paths that other checks cover. */
interface Base {
  read: (path: string) => Promise<string | undefined>;
  all: () => Promise<string[]>;
  skip: (path: string) => boolean;
}

const INTERPRETERS = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|zsh|dash|node|deno|bun|tsx|python[\d.]*|ruby|perl|php)$/;
/** With these an interpreter runs no file, or only reads one. */
const NO_SCRIPT = /^(?:-[a-zA-Z]*[cen]|-p|--eval|--print|--check|--test)$/;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const MOST_FILES = 40;
const MOST_TEXT = 100_000;
const MOST_DEPTH = 5;
/** Packages of a workspace, and files that may import the same as a script. */
const MOST_PACKAGES = 100;
const MOST_IMPORTERS = 60;

/** `home`: folder of the script that holds the text. */
interface At {
  dir: string;
  depth: number;
  home?: string;
}

/** Text for a shell, or words. */
export type Command = string | readonly string[];

/**
 * Paths and globs, top-relative. `shadows`: no file of the base, and a new one there would be loaded by a script.
 * `others`: commands that run no tests, so that settings of runners count only for `commands`.
 */
export async function ownFiles(
  commands: readonly Command[],
  { read, all, skip }: Base,
  others: readonly Command[] = [],
): Promise<{ scripts: string[]; globs: string[]; shadows: string[] }> {
  const scripts = new Set<string>();
  const shadows = new Set<string>();
  const globs = new Set<string>();
  const todo: Array<At & { text: string }> = [];
  const seen = new Set<string>();
  const open = async (path: string, texts: (content: string) => string[], { dir, depth, home }: At): Promise<void> => {
    if (seen.has(path) || seen.size >= MOST_FILES) return;
    seen.add(path);
    const content = (await read(path))?.slice(0, MOST_TEXT);
    if (content !== undefined) todo.push(...texts(content).map((text) => ({ text, dir, depth: depth + 1, home })));
  };
  let paths: Set<string> | undefined;
  const has = async (path: string): Promise<boolean> => {
    paths ??= new Set(await all());
    return paths.has(path);
  };
  /** A file that the gate loads, and its imports of the same kind: not the product. */
  const load = async (path: string, at: At): Promise<void> => {
    scripts.add(path);
    await open(path, (text) => (isShell(path, text) ? [text] : []), { ...at, home: folderOf(path) });
    const queue = [{ path, depth: at.depth }];
    for (let next = queue.shift(); next; next = queue.shift()) {
      const from = next;
      if (from.depth >= MOST_DEPTH || scripts.size >= MOST_FILES || !/\.(?:[cm]?[jt]sx?|py)$/.test(from.path)) continue;
      const text = (await read(from.path))?.slice(0, MOST_TEXT) ?? '';
      const imports = imported(from.path, text);
      if (from.path.endsWith('.py')) for (const one of pythonShadows(path, text)) shadows.add(one);
      const elsewhere = imports.some((one) => one[0]?.includes('/'));
      for (const candidates of imports) {
        const target = await first(candidates, has);
        if (!target || scripts.has(target) || skip(target)) continue;
        if (!ofOneKind(from.path, target) && !(await isSibling(from.path, target, elsewhere))) continue;
        scripts.add(target);
        for (const one of before(candidates, target)) shadows.add(one);
        queue.push({ path: target, depth: from.depth + 1 });
      }
    }
  };
  /**
   * At the top, product and scripts lie side by side. One that nothing but scripts imports helps these, if its name says so
   * or the product lies `elsewhere`.
   */
  const isSibling = async (from: string, to: string, elsewhere: boolean): Promise<boolean> => {
    if (dirname(from) !== '.' || dirname(to) !== '.' || !(elsewhere || HELPER_NAME.test(to))) return false;
    if (entryPoints((await read('package.json')) ?? '').includes(to)) return false;
    const ending = extname(to) === '.py' ? /\.py$/ : /\.[cm]?[jt]sx?$/;
    const others = [...(paths ?? [])].filter((path) => ending.test(path) && path !== to && !scripts.has(path));
    // Tests and neighbours first.
    const likely = others.sort((a, b) => Number(skip(b)) - Number(skip(a)) || a.length - b.length);
    for (const path of likely.slice(0, MOST_IMPORTERS)) {
      const text = (await read(path))?.slice(0, MOST_TEXT) ?? '';
      if (text.includes(basename(to, extname(to))) && imported(path, text).some((one) => one.includes(to)))
        return false;
    }
    return true;
  };
  /** The scripts of that name in the packages that are meant. */
  const callPackages = async (words: readonly string[], { dir, depth }: At): Promise<void> => {
    const call = packageCall(words);
    if (!call) return;
    const here = call.dir === undefined ? dir : within(dir, call.dir);
    await has('package.json');
    const folders = call.packages
      ? [...(paths ?? [])]
          .filter((path) => path.endsWith('/package.json') && !path.includes('node_modules/'))
          .slice(0, MOST_PACKAGES)
          .map(dirname)
      : [here];
    for (const folder of folders) {
      const path = join(folder, 'package.json');
      const content = await read(path);
      if (content === undefined || (call.packages && !isMeant(call, folder, nameIn(content)))) continue;
      for (const name of call.names) {
        // Once per script, because the file is the same.
        const key = `${path} ${name}`;
        if (seen.has(key)) continue;
        seen.add(key);
        todo.push(...packageScripts(content, name).map((text) => ({ text, dir: folder, depth: depth + 1 })));
      }
    }
  };
  const preload = async (words: readonly string[], at: { dir: string; depth: number }): Promise<void> => {
    for (const word of preloaded(words)) {
      const path = await first(spellings(join(at.dir, word)), has);
      if (path) await load(path, at);
    }
  };
  const look = async (words: readonly string[], { dir, depth, home }: At): Promise<void> => {
    const [program = '', ...rest] = words;
    for (const [tool, files] of BUILD_FILES) if (tool.test(program)) for (const file of files) globs.add(file);
    if (/(?:^|\/)g?make$/.test(program))
      for (const file of MAKEFILES) await open(join(dir, file), recipes, { dir, depth });
    if (depth < MOST_DEPTH) await callPackages(words, { dir, depth });
    const inline = /(?:^|\/)(?:ba|z|da)?sh$/.test(program) ? rest.findIndex((word) => /^-[a-z]*c$/.test(word)) : -1;
    if (inline >= 0 && depth < MOST_DEPTH) {
      todo.push({ text: rest[inline + 1] ?? '', dir, depth: depth + 1 });
      return;
    }
    const module = moduleOf(program, rest);
    if (module !== undefined) {
      const files = moduleFiles(module);
      for (const one of [...files.scripts, ...files.shadows]) shadows.add(normalize(join(dir, one)));
      const found = await first(
        files.scripts.map((one) => normalize(join(dir, one))),
        has,
      );
      if (found !== undefined) await load(found, { dir, depth });
      return;
    }
    const path = scriptOf(program, rest);
    if (path === undefined || path.startsWith('/')) return;
    const plain = path.replace(VARIABLE, '');
    const folders = plain === path ? [dir, home ?? dir] : [home ?? dir, dir, ''];
    const places = folders.map((folder) => normalize(join(folder, plain))).filter((place) => !place.startsWith('../'));
    const found = (await first(places, has)) ?? (plain === path ? places[0] : undefined);
    if (found !== undefined) await load(found, { dir, depth });
  };
  for (const path of commands.length > 0 ? SETTINGS : []) {
    const text = (await has(path)) ? await read(path) : undefined;
    for (const name of setupFiles(path, text?.slice(0, MOST_TEXT) ?? '')) {
      const file = await first(spellings(name), has);
      if (file) await load(file, { dir: '', depth: 1 });
    }
  }
  for (const command of [...commands, ...others]) {
    if (typeof command === 'string') todo.push({ text: command, dir: '', depth: 0 });
    else {
      await preload(command, { dir: '', depth: 0 });
      await look(bare(command), { dir: '', depth: 0 });
    }
  }
  for (let next = todo.shift(); next; next = todo.shift()) {
    let { dir } = next;
    for (const words of simpleCommands(next.text)) {
      await preload(words, { dir, depth: next.depth });
      const command = bare(words);
      if (command[0] === 'cd') dir = moved(next, dir, command[1] ?? '');
      else await look(command, { ...next, dir });
    }
  }
  const isNew = await Promise.all([...shadows].map(async (path) => !(await has(path))));
  return { scripts: [...scripts], globs: [...globs], shadows: [...shadows].filter((_, n) => isNew[n]) };
}

/** The file of the repository that a command runs, if any. */
function scriptOf(program: string, rest: readonly string[]): string | undefined {
  if (/^(?:source|\.)$/.test(program)) return rest[0];
  if (VARIABLE.test(program)) return program;
  if (!INTERPRETERS.test(program)) return /^[\w@.][^*?]*$/.test(program) && program.includes('/') ? program : undefined;
  // The next word is the value of one of these.
  const at = rest.findIndex((word, n) => !word.startsWith('-') && !(n > 0 && TAKES_FILE.test(rest[n - 1] ?? '')));
  const script = rest[at];
  if (script === undefined || rest.slice(0, at).some((flag) => NO_SCRIPT.test(flag))) return undefined;
  return script.includes('/') || script.includes('.') ? script : undefined;
}

/** The module that Python runs: `python3 -m NAME`. */
function moduleOf(program: string, rest: readonly string[]): string | undefined {
  const at = /(?:^|\/)python[\d.]*$/.test(program) ? rest.indexOf('-m') : -1;
  const name = at < 0 ? undefined : rest[at + 1];
  return name !== undefined && /^\w+(?:\.\w+)*$/.test(name) ? name : undefined;
}

/** `scripts`: what runs. `shadows`: with these in the repository, Python finds no module of that name elsewhere. */
function moduleFiles(name: string): { scripts: string[]; shadows: string[] } {
  const path = name.replaceAll('.', '/');
  const [top] = name.split('.');
  return { scripts: [`${path}/__main__.py`, `${path}.py`], shadows: [`${top}.py`, `${top}/__init__.py`] };
}

const recipes = (text: string): string[] => [
  text
    .split('\n')
    .filter((line) => line.startsWith('\t'))
    .map((line) => line.replace(/^\t[@+-]*/, ''))
    .join('\n'),
];

/** The imports of a script that are beside it or among tools, outside the product. */
function ofOneKind(from: string, to: string): boolean {
  const folder = dirname(from);
  const near = folder !== '.' && to.startsWith(`${folder}/`);
  if (near && TOOL_FOLDER.test(from)) return true;
  return !PRODUCT_FOLDER.test(to) && (TOOL_FOLDER.test(to) || (near && !PRODUCT_FOLDER.test(from)));
}

async function first(paths: readonly string[], has: (path: string) => Promise<boolean>): Promise<string | undefined> {
  for (const path of paths) if (await has(path)) return path;
  return undefined;
}

const spellings = (path: string): string[] => {
  const plain = normalize(path);
  return ['', '.js', '.mjs', '.cjs', '.ts', '.mts'].map((end) => plain + end);
};

const isShell = (path: string, text: string): boolean =>
  /\.(?:ba|z)?sh$/.test(path) || /^#!.*\b(?:ba|z|da)?sh\b/.test(text.slice(0, 200).split('\n')[0] ?? '');

/** What stands for a folder that only a running shell knows, such as `$(dirname $0)/`. */
const VARIABLE = /^\$(?:\([^)]*\)|\{[^}]*\}|\w+)\//;
const OWN_FOLDER = /dirname|BASH_SOURCE|%\/\*/;

/** Where a `cd` leads: with a variable, the script's own folder or the top. */
function moved({ home }: At, dir: string, to: string): string {
  if (!to.startsWith('$')) return within(dir, to);
  const rest = `${to}/`.replace(VARIABLE, '');
  const place = normalize(join(OWN_FOLDER.test(to) ? (home ?? dir) : '', rest || '.')).replace(/\/$/, '');
  return place === '.' || place.startsWith('..') ? '' : place;
}

const folderOf = (path: string): string => (dirname(path) === '.' ? '' : dirname(path));

const join = (dir: string, path: string): string => (dir === '' ? path : `${dir}/${path}`);

const within = (dir: string, to: string): string => join(dir, to.replace(/^\.\//, '').replace(/\/+$/, ''));
