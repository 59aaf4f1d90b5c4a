/**
 * Repositories that an agent made in the place of the `.git` of its worktree, and that were moved aside with their
 * commits (`relink.ts`): an agent may make another one in each iteration.
 * Invariant: of repositories with the same content one stays. Of the others the newest few do, and before an older one
 * goes, saves of the idea have its commits. Git runs in none that names a program of its own.
 */
import { createHash } from 'node:crypto';
import { lstat, readlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { entriesOf, namesIn, orNone, textAt } from '../regular.js';
import { git } from '../runner.js';
import { keep } from '../saves/saves.js';
import { unusualSettings } from './inner.js';
import { exists } from './list.js';

/** Of one worktree. */
export const MOST_KEPT = 3;

export interface TooMany {
  path: string;
  /** A newer one has the same content; absent: it is an older one. */
  same?: string;
}

/** The folder is a git directory without a checkout of its own. */
export async function isGitDir(path: string): Promise<boolean> {
  const about = await lstat(path).catch(orNone);
  if (!about?.isDirectory() || (await exists(join(path, '.git')))) return false;
  const is = (name: string, kind: 'isFile' | 'isDirectory'): Promise<boolean> =>
    lstat(join(path, name)).then(
      (one) => one[kind](),
      (error: unknown) => orNone(error) ?? false,
    );
  return (await is('HEAD', 'isFile')) && (await is('objects', 'isDirectory')) && (await is('refs', 'isDirectory'));
}

/** Those of the worktree at `path` that are too many, the newest first. */
export async function tooManyKept(path: string): Promise<TooMany[]> {
  const names = await namesIn(dirname(path));
  const kept: { path: string; at: number; n: number }[] = [];
  for (const name of names) {
    const n = name.startsWith(`${basename(path)}.kept-`) ? Number(name.slice(basename(path).length + 6)) : Number.NaN;
    const full = join(dirname(path), name);
    // Moving it here changed this time.
    if (Number.isInteger(n) && (await isGitDir(full))) kept.push({ path: full, at: (await lstat(full)).ctimeMs, n });
  }
  const known = new Map<string, string>();
  const found: TooMany[] = [];
  for (const one of kept.sort((a, b) => b.at - a.at || b.n - a.n)) {
    const content = await contentOf(one.path);
    const same = known.get(content);
    if (same !== undefined) found.push({ path: one.path, same });
    else if (known.size >= MOST_KEPT) found.push({ path: one.path });
    else known.set(content, one.path);
  }
  return found;
}

/** Objects by their names, which are hashes of what they hold; refs and HEAD. Not the times, the index and the logs. */
async function contentOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  const all = async (dir: string, read: boolean): Promise<void> => {
    const listed = await entriesOf(join(path, dir));
    for (const one of listed.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(dir, one.name);
      if (one.isDirectory()) await all(name, read);
      else hash.update(`${name}\0${read ? await textOf(join(path, name)) : (await lstat(join(path, name))).size}\0`);
    }
  };
  await all('objects', false);
  await all('refs', true);
  for (const name of ['HEAD', 'packed-refs']) hash.update(`${name}\0${await textOf(join(path, name))}\0`);
  return hash.digest('hex');
}

const textOf = async (path: string): Promise<string> =>
  (await lstat(path).catch(orNone))?.isSymbolicLink() ? readlink(path) : ((await textAt(path)) ?? '');

const MOST_TIPS = 20;

/** Makes saves of its commits. False: ralphctl cannot, and it stays. */
export async function saveCommits(repo: string, idea: string, path: string): Promise<boolean> {
  try {
    if ((await unusualSettings(path)).length > 0) return false;
    const run = git(repo);
    const listed = await run.run(['ls-remote', '-q', '--', path], { read: true });
    const tips = new Set(listed.split('\n').flatMap((line) => line.split('\t')[0] || []));
    if (tips.size > MOST_TIPS) return false;
    for (const tip of tips) {
      await run.run(['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--', path, tip]);
      const commit = await run.run(['rev-parse', '--verify', '-q', `${tip}^{commit}`], { read: true });
      await keep(repo, idea, commit, 'its agent had made a repository of its own');
    }
    return true;
  } catch {
    return false;
  }
}
