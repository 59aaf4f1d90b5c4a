/** Finds the task files of a backlog that is a folder. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** File names in a folder, in natural order; empty when the folder is missing. */
export const namesIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir).catch(() => [])).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

/** The folder itself, or its subfolder `tasks`. */
export async function taskFolder(path: string): Promise<{ dir: string; names: string[] }> {
  for (const dir of [path, join(path, 'tasks')]) {
    const names = (await namesIn(dir)).filter(
      (name) => /^\S+ - .*\.md$/.test(name) || /^[a-z]+-[\d.]+\.md$/i.test(name),
    );
    if (names.length > 0) return { dir, names: names.map((name) => join(dir, name)) };
  }
  return { dir: path, names: [] };
}
