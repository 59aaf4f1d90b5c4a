/** The task files of a folder that is a backlog. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Names in a folder, sorted as people count; none where it is not there. */
export const namesIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir).catch(() => [])).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

/** The folder itself, or `tasks` in it. */
export async function taskFolder(path: string): Promise<{ dir: string; names: string[] }> {
  for (const dir of [path, join(path, 'tasks')]) {
    const names = (await namesIn(dir)).filter(
      (name) => /^\S+ - .*\.md$/.test(name) || /^[a-z]+-[\d.]+\.md$/i.test(name),
    );
    if (names.length > 0) return { dir, names: names.map((name) => join(dir, name)) };
  }
  return { dir: path, names: [] };
}
