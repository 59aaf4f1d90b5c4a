/**
 * Which folder's configuration counts for a command: the nearest one from where it is called up to the top of the repository.
 * Reads only.
 */
import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CONFIG_FILES } from './load.js';

/** The configuration file in a folder, the first by name where there are several. */
export async function configFileIn(dir: string): Promise<string | undefined> {
  for (const name of CONFIG_FILES) {
    const file = join(dir, name);
    if (await stat(file).catch(() => undefined)) return file;
  }
  return undefined;
}

/** `from` and the folders above it, up to `root`, nearest first; `root` alone where it lies elsewhere. */
export async function foldersUpTo(from: string, root: string): Promise<string[]> {
  const start = await realpath(from).catch(() => root);
  const all: string[] = [];
  for (let dir = start; ; dir = dirname(dir)) {
    all.push(dir);
    if (dir === root) return all;
    if (dirname(dir) === dir) return [root];
  }
}

/** `root` where no folder on the way has a configuration. */
export async function configFolder(from: string, root: string): Promise<string> {
  for (const dir of await foldersUpTo(from, root)) if (await configFileIn(dir)) return dir;
  return root;
}
