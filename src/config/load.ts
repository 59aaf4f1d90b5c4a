/**
 * Reads `ralphctl.yaml`, `.yml` or `.json`. Invariant: the result is complete and valid, or a ConfigError names every
 * problem in the file.
 */

import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CONFIG_FILES } from './file-names.js';
import { type Path, readLocated, syntaxOf } from './located.js';
import { byLine, ConfigError } from './problems.js';
import { InputError, MIB, readInput } from './read-input.js';
import { type Config, configSchema } from './schema/config.js';
import { configJsonSchema, zodProblems } from './zod-problems.js';

/** The configuration when there is no file. */
export const defaultConfig = (): Config => configSchema.parse({});

/** `file` decides the syntax by its ending and stands in error messages. An empty file means defaults. */
export function parseConfig(text: string, file: string): Config {
  const read = readLocated(text, file, syntaxOf(file));
  if ('problems' in read) throw new ConfigError(read.problems);
  const { located } = read;
  const result = configSchema.safeParse(located.value ?? {});
  if (result.success) return result.data;
  throw new ConfigError(byLine(zodProblems(result.error.issues, { file, located, schema: configJsonSchema })));
}

/** Top-level keys that the file sets, whatever their values. */
function keysOf(text: string, file: string): Set<string> {
  const read = readLocated(text, file, syntaxOf(file));
  return new Set('problems' in read ? [] : Object.keys((read.located.value ?? {}) as object));
}

const MAX_BYTES = MIB;

const readIfThere = async (file: string): Promise<string | undefined> => {
  try {
    return (await readInput(file, MAX_BYTES)).toString('utf8');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (error.fault === 'missing') return undefined;
    throw new ConfigError([{ file, line: 1, message: error.message }]);
  }
};

/**
 * The configuration in `dir`, and the top-level keys that its file sets. Without a file: the defaults, and no `file`.
 * @throws ConfigError, also when there are two configuration files
 */
export async function loadConfig(dir: string): Promise<{ config: Config; given: ReadonlySet<string>; file?: string }> {
  const found: { file: string; text: string }[] = [];
  for (const name of CONFIG_FILES) {
    const file = join(dir, name);
    const text = await readIfThere(file);
    if (text !== undefined) found.push({ file, text });
  }
  const [first, second] = found;
  if (!first) return { config: defaultConfig(), given: new Set() };
  if (second) {
    const fix = `keep one, e.g.: rm ${second.file}`;
    throw new ConfigError([
      { file: second.file, line: 1, message: `there is a second configuration file, ${first.file}`, fix },
    ]);
  }
  return { config: parseConfig(first.text, first.file), given: keysOf(first.text, first.file), file: first.file };
}

/*
 * Finds the configuration for a command: the nearest one between the current folder and the top of the repository.
 * Reads only.
 */

/** The configuration file in a folder, the first by name where there are several. */
export async function configFileIn(dir: string): Promise<string | undefined> {
  for (const name of CONFIG_FILES) {
    const file = join(dir, name);
    if (await stat(file).catch(() => undefined)) return file;
  }
  return undefined;
}

/** `from` and the folders above it up to `root`, nearest first. Where `from` is outside `root`: `root` alone. */
export async function foldersUpTo(from: string, root: string): Promise<string[]> {
  const start = await realpath(from).catch(() => root);
  const all: string[] = [];
  for (let dir = start; ; dir = dirname(dir)) {
    all.push(dir);
    if (dir === root) return all;
    if (dirname(dir) === dir) return [root];
  }
}

/** The nearest folder with a configuration; `root` when none has one. */
export async function configFolder(from: string, root: string): Promise<string> {
  for (const dir of await foldersUpTo(from, root)) if (await configFileIn(dir)) return dir;
  return root;
}

/* Finds the line of a value in a configuration file. Must not import anything but this folder. */

/** Line of a key in the file, or of its shorter form (`gate` as a list). Undefined: the file does not set the key. */
export function originsIn(text: string, file: string): (path: readonly string[]) => number | undefined {
  const read = readLocated(text, file, syntaxOf(file));
  if ('problems' in read) return () => undefined;
  const { located } = read;
  return (path) => {
    let value: unknown = located.value;
    const found: string[] = [];
    for (const key of path) {
      if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key)) break;
      value = (value as Record<string, unknown>)[key];
      found.push(key);
    }
    const isWhole = value === null || typeof value !== 'object' || Array.isArray(value);
    if (found.length === 0 || (found.length < path.length && !isWhole)) return undefined;
    // A list of gate commands sets no other gate key.
    if (Array.isArray(value) && found.length < path.length && path.at(-1) !== 'commands') return undefined;
    return located.lineOf(found satisfies Path);
  };
}
