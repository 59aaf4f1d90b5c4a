/**
 * Finds the configuration for a command: the nearest one between the current folder and the top of the repository.
 * Reads only.
 */
import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CONFIG_FILES } from './load.js';
import { type Path, readLocated, syntaxOf } from './located.js';

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
