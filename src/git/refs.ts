/** Commits that refs name, by their exact names. Reads only. */
import { git } from './git.js';

/** Only refs that exist; one process. A pattern alone would also find everything below a name. */
export async function readTips(repo: string, names: readonly string[]): Promise<Map<string, string>> {
  const text = await git(repo).run(['for-each-ref', '--format=%(refname) %(objectname)', ...names], { read: true });
  const tips = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [name = '', commit = ''] = line.split(' ');
    if (names.includes(name)) tips.set(name, commit);
  }
  return tips;
}

/** Undefined: there is no such ref. */
export const readTip = async (repo: string, name: string): Promise<string | undefined> =>
  (await readTips(repo, [name])).get(name);
