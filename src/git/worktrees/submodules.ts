/**
 * The submodules that a commit names. Reads only. Agents wrote this input: names and paths are checked, and settings
 * that name a command are ignored.
 */
import { join } from 'node:path';
import { git } from '../runner.js';
import { exists } from './list.js';

export interface Submodule {
  name: string;
  /** Below the top of the worktree. */
  path: string;
  url: string;
  /** The commit in the repository. */
  commit: string;
  /** `update = none`: not to be set up. */
  off: boolean;
}

const isSafe = (path: string): boolean =>
  path !== '' && !path.startsWith('/') && !path.split('/').some((part) => part === '..' || /^\.git$/i.test(part));

/** Those of `commit`, sorted by path. Without any, this only looks for one file. */
export async function readSubmodules(dir: string, commit = 'HEAD'): Promise<Submodule[]> {
  if (commit === 'HEAD' && !(await exists(join(dir, '.gitmodules')))) return [];
  const keys = ['config', '-z', `--blob=${commit}:.gitmodules`, '--get-regexp', '^submodule\\..*\\.(path|url|update)$'];
  const listed = await git(dir).result(keys, { ok: [0, 1, 128], read: true });
  const found = new Map<string, Record<string, string>>();
  for (const entry of listed.stdout.split('\0')) {
    const [, name = '', key = '', value = ''] =
      /^submodule\.([\s\S]*)\.(path|url|update)\n([\s\S]*)$/.exec(entry) ?? [];
    if (isSafe(name)) found.set(name, { ...found.get(name), [key]: value });
  }
  const all = [...found].flatMap(([name, { path = '', url = '', update }]) =>
    isSafe(path) && url !== '' ? [{ name, path, url, off: update === 'none' }] : [],
  );
  if (all.length === 0) return [];
  const commits = await gitlinks(
    dir,
    commit,
    all.map(({ path }) => path),
  );
  const known = all.flatMap((one) => {
    const at = commits.get(one.path);
    return at === undefined ? [] : [{ ...one, commit: at }];
  });
  return known.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function gitlinks(dir: string, commit: string, paths: readonly string[]): Promise<Map<string, string>> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', ...paths];
  const links = new Map<string, string>();
  for (const line of (await git(dir).run(args, { read: true })).split('\0')) {
    const [, at, path] = /^160000 commit ([0-9a-f]+)\t([\s\S]*)$/.exec(line) ?? [];
    if (at && path) links.set(path, at);
  }
  return links;
}

/** Folder of the checkout's copy of a submodule, if any. */
export const ownCopy = (commonDir: string, name: string): string => join(commonDir, 'modules', name);

/** True when the repository at `gitDir` has this commit. */
export async function hasCommit(gitDir: string, commit: string): Promise<boolean> {
  if (!(await exists(join(gitDir, 'HEAD')))) return false;
  const args = ['--git-dir', gitDir, 'cat-file', '-e', `${commit}^{commit}`];
  return (await git(gitDir).result(args, { ok: [0, 1, 128], read: true })).code === 0;
}

/** True when the checkout's copy has the commit checked out, or a later one. */
export async function isCheckedOut(gitDir: string, commit: string): Promise<boolean> {
  if (!(await hasCommit(gitDir, commit))) return false;
  const args = ['--git-dir', gitDir, 'merge-base', '--is-ancestor', commit, 'HEAD'];
  return (await git(gitDir).result(args, { ok: [0, 1, 128], read: true })).code === 0;
}

/**
 * True when a remote-tracking branch or tag of this clone keeps the commit. Whoever works in the clone can write both:
 * this tells that nothing is lost, and not that others can fetch the commit (see submodule-origin.ts).
 */
export async function isKeptByRef(gitDir: string, commit: string): Promise<boolean> {
  if (!(await exists(join(gitDir, 'HEAD')))) return false;
  const refs = ['--count=1', `--contains=${commit}`, '--format=%(refname)', 'refs/remotes', 'refs/tags'];
  const got = await git(gitDir).result(['--git-dir', gitDir, 'for-each-ref', ...refs], {
    ok: [0, 128, 129],
    read: true,
  });
  return got.code === 0 && got.stdout.trim() !== '';
}
