/**
 * The files of a repository that the gate's commands run: scripts, the build files of their tools, and what those call.
 * Invariant: a file that a command only names, to read or to test it, is none of them; as the base has them, so that
 * the work cannot leave the list; bounded.
 */
import { dirname, normalize } from 'node:path/posix';
import { imported } from './imports.js';
import { BUILD_FILES, PRODUCT_FOLDER, TOOL_FOLDER } from './patterns.js';
import { preloaded, SETTINGS, setupFiles, TAKES_FILE } from './preloaded.js';

/** The base. `all`: its paths; `skip`: what is looked after elsewhere. */
interface Base {
  read: (path: string) => Promise<string | undefined>;
  all: () => Promise<string[]>;
  skip: (path: string) => boolean;
}

const INTERPRETERS = /^(?:\/(?:usr\/)?bin\/)?(?:sh|bash|zsh|dash|node|deno|bun|tsx|python[\d.]*|ruby|perl|php)$/;
/** With these an interpreter runs no file, or reads one without running it. */
const NO_SCRIPT = /^(?:-[a-zA-Z]*[cen]|-p|--eval|--print|--check|--test)$/;
const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const MOST_FILES = 40;
const MOST_TEXT = 100_000;
const MOST_DEPTH = 5;

/** Paths and globs, top-relative. */
export async function ownFiles(
  commands: ReadonlyArray<string | readonly string[]>,
  { read, all, skip }: Base,
): Promise<{ scripts: string[]; globs: string[] }> {
  const scripts = new Set<string>();
  const globs = new Set<string>();
  const todo: Array<{ text: string; dir: string; depth: number }> = [];
  const seen = new Set<string>();
  const open = async (
    path: string,
    texts: (content: string) => string[],
    { dir, depth }: { dir: string; depth: number },
  ): Promise<void> => {
    if (seen.has(path) || seen.size >= MOST_FILES) return;
    seen.add(path);
    const content = (await read(path))?.slice(0, MOST_TEXT);
    if (content !== undefined) todo.push(...texts(content).map((text) => ({ text, dir, depth: depth + 1 })));
  };
  let paths: Set<string> | undefined;
  const has = async (path: string): Promise<boolean> => {
    paths ??= new Set(await all());
    return paths.has(path);
  };
  /** A file that the gate loads, and what that imports of its own kind: not the product. */
  const load = async (path: string, at: { dir: string; depth: number }): Promise<void> => {
    scripts.add(path);
    await open(path, (text) => (isShell(path, text) ? [text] : []), at);
    const queue = [{ path, depth: at.depth }];
    for (let next = queue.shift(); next; next = queue.shift()) {
      const from = next;
      if (from.depth >= MOST_DEPTH || scripts.size >= MOST_FILES || !/\.(?:[cm]?[jt]sx?|py)$/.test(from.path)) continue;
      const text = (await read(from.path))?.slice(0, MOST_TEXT) ?? '';
      for (const candidates of imported(from.path, text)) {
        const target = await first(candidates, has);
        if (!target || scripts.has(target) || skip(target) || !ofOneKind(from.path, target)) continue;
        scripts.add(target);
        queue.push({ path: target, depth: from.depth + 1 });
      }
    }
  };
  const preload = async (words: readonly string[], at: { dir: string; depth: number }): Promise<void> => {
    for (const word of preloaded(words)) {
      const path = await first(spellings(join(at.dir, word)), has);
      if (path) await load(path, at);
    }
  };
  const look = async (words: readonly string[], { dir, depth }: { dir: string; depth: number }): Promise<void> => {
    const [program = '', ...rest] = words;
    for (const [tool, files] of BUILD_FILES) if (tool.test(program)) for (const file of files) globs.add(file);
    if (/(?:^|\/)g?make$/.test(program))
      for (const file of MAKEFILES) await open(join(dir, file), recipes, { dir, depth });
    if (MANAGERS.test(program)) {
      const name = scriptName(rest);
      // Once for each script: the file is the same.
      const path = join(dir, 'package.json');
      const key = `${path} ${name}`;
      if (name && !seen.has(key)) {
        seen.add(key);
        const content = await read(path);
        if (content) todo.push(...packageScripts(content, name).map((text) => ({ text, dir, depth: depth + 1 })));
      }
    }
    const inline = /(?:^|\/)(?:ba|z|da)?sh$/.test(program) ? rest.findIndex((word) => /^-[a-z]*c$/.test(word)) : -1;
    if (inline >= 0 && depth < MOST_DEPTH) {
      todo.push({ text: rest[inline + 1] ?? '', dir, depth: depth + 1 });
      return;
    }
    const path = scriptOf(program, rest);
    if (path === undefined || path.startsWith('/') || path.split('/').includes('..')) return;
    await load(join(dir, path.replace(/^\.\//, '')), { dir, depth });
  };
  for (const path of SETTINGS) {
    const text = (await has(path)) ? await read(path) : undefined;
    for (const name of setupFiles(path, text?.slice(0, MOST_TEXT) ?? '')) {
      const file = await first(spellings(name), has);
      if (file) await load(file, { dir: '', depth: 1 });
    }
  }
  for (const command of commands) {
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
      if (command[0] === 'cd') dir = within(dir, command[1] ?? '');
      else await look(command, { dir, depth: next.depth });
    }
  }
  return { scripts: [...scripts], globs: [...globs] };
}

/** The file that a command runs, if it is one of the repository. */
function scriptOf(program: string, rest: readonly string[]): string | undefined {
  if (/^(?:source|\.)$/.test(program)) return rest[0]?.replace(/^"?\$(?:PWD|\{PWD\})\//, '');
  if (!INTERPRETERS.test(program)) return /^[\w@.][^*?]*$/.test(program) && program.includes('/') ? program : undefined;
  const module = rest.indexOf('-m');
  if (module >= 0 && /^python/.test(program)) return `${(rest[module + 1] ?? '').replaceAll('.', '/')}.py`;
  // The word after one of these is its value.
  const at = rest.findIndex((word, n) => !word.startsWith('-') && !(n > 0 && TAKES_FILE.test(rest[n - 1] ?? '')));
  const script = rest[at];
  if (script === undefined || rest.slice(0, at).some((flag) => NO_SCRIPT.test(flag))) return undefined;
  return script.includes('/') || script.includes('.') ? script : undefined;
}

function scriptName(rest: readonly string[]): string | undefined {
  const words = rest.filter((word) => !word.startsWith('-'));
  const name = /^run(?:-script)?$/.test(words[0] ?? '') ? words[1] : words[0];
  return name === 't' || name === 'tst' ? 'test' : name;
}

function packageScripts(content: string, name: string): string[] {
  try {
    const { scripts } = JSON.parse(content) as { scripts?: Record<string, unknown> };
    return [`pre${name}`, name, `post${name}`].flatMap((key) => {
      const text = scripts?.[key];
      return typeof text === 'string' ? [text] : [];
    });
  } catch {
    return [];
  }
}

const recipes = (text: string): string[] => [
  text
    .split('\n')
    .filter((line) => line.startsWith('\t'))
    .map((line) => line.replace(/^\t[@+-]*/, ''))
    .join('\n'),
];

/** Of a script's imports those that lie with it or among tools, and not where the product is. */
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

const join = (dir: string, path: string): string => (dir === '' ? path : `${dir}/${path}`);

const within = (dir: string, to: string): string => join(dir, to.replace(/^\.\//, '').replace(/\/+$/, ''));

/*
 * Reads a shell text far enough to know which programs it runs. Invariant: never throws; linear in the text. Pure.
 */

/** The simple commands of a text, each as its words without their quotes. */
export function simpleCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let quote = '';
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (quote) {
      if (sign === quote) quote = '';
      else word += sign;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
      word ??= '';
    } else if (sign === '\\') {
      at++;
      if (text[at] !== '\n') word = (word ?? '') + (text[at] ?? '');
    } else if (sign === '#' && word === undefined) {
      while (at + 1 < text.length && text[at + 1] !== '\n') at++;
    } else if (/[;&|\n()`]/.test(sign)) endCommand();
    else if (/\s/.test(sign)) endWord();
    else word = (word ?? '') + sign;
  }
  endCommand();
  return commands;
}

const BEFORE = /^(?:!|\{|if|then|elif|else|while|until|do|exec|time|env|command|nice|nohup|xvfb-run|cross-env|\w+=.*)$/;

/** A command without what only stands in front of it. */
export function bare(words: readonly string[]): string[] {
  const from = words.findIndex((word) => !BEFORE.test(word));
  const rest = from < 0 ? [] : words.slice(from);
  return rest[0] === 'timeout' ? bare(rest.slice(2)) : rest;
}
