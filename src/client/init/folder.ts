/** Finds the folder for `init`: in a monorepo, the project around the current folder. Reads only. */
import { readdir } from 'node:fs/promises';
import { foldersUpTo } from '../../config/folder.js';
import { CONFIG_FILES } from '../../config/load.js';

/** A folder with one of these files is a project of its own. */
const MARKS = new Set<string>([
  ...CONFIG_FILES,
  'roadmap.md',
  'ROADMAP.md',
  'package.json',
  'pyproject.toml',
  'setup.cfg',
  'requirements.txt',
  'Cargo.toml',
  'go.mod',
  'Gemfile',
  'composer.json',
  'mix.exs',
  'gradlew',
  'pom.xml',
  'deno.json',
  'deno.jsonc',
]);

/** The nearest folder from `from` up to `root` that is a project; otherwise `root`. */
export async function projectFolder(from: string, root: string): Promise<string> {
  for (const dir of await foldersUpTo(from, root)) {
    const names = await readdir(dir).catch(() => []);
    if (names.some((name) => MARKS.has(name))) return dir;
  }
  return root;
}
