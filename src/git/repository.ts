/**
 * Checks the user's repository before a run: can ralphctl work in it, and what is its name?
 * Invariant: reads only. Every problem has a name and a fix.
 */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RepositoryError } from './errors.js';
import { textAt } from './regular.js';
import { GitError, git } from './runner.js';
import { exists } from './worktrees/list.js';

export interface Repository {
  /** Top folder of this checkout, links resolved. */
  root: string;
  /** Git directory of this checkout. */
  gitDir: string;
  /** Git directory shared by all worktrees. */
  commonDir: string;
  head: string;
  /** Undefined when HEAD is detached. */
  branch?: string;
  /** Has a `.gitmodules` file. */
  submodules: boolean;
  gitVersion: string;
}

const sharedDirs = new Map<string, Promise<string>>();

/** {@link Repository.commonDir} alone, cached: it never changes while the checkout exists. */
export function sharedGitDir(repo: string): Promise<string> {
  const known = sharedDirs.get(repo) ?? inspectRepository(repo).then(({ commonDir }) => commonDir);
  sharedDirs.set(repo, known);
  known.catch(() => sharedDirs.delete(repo));
  return known;
}

/** `merge-tree --write-tree` came with 2.38. */
const OLDEST_GIT = [2, 38] as const;
let version: Promise<string> | undefined;

/** Facts about the repository that holds `path`. Throws {@link RepositoryError}. */
export async function inspectRepository(path: string): Promise<Repository> {
  if (!(await exists(path)))
    throw new RepositoryError(`There is no folder ${path}.`, 'Give the path of a git repository.');
  version ??= readVersion(path);
  const gitVersion = await version.catch((error: unknown) => {
    version = undefined;
    throw error;
  });
  const known = await locateWithHead(path);
  const [bare, gitDir, commonDir, root] = known ?? (await locate(path));
  if (bare === 'true' || root === undefined || gitDir === undefined || commonDir === undefined)
    throw new RepositoryError(
      `${path} is a bare repository or lies inside a .git folder.`,
      'Run ralphctl in a checkout of it: git worktree add <folder>.',
    );
  const shared = await realpath(resolve(path, commonDir));
  if (await keepsRefsInTables(shared)) throw reftable(root);
  const [head, ref] = known?.slice(PLACES.length) ?? (await headOf(root));
  if (!head)
    throw new RepositoryError(
      `The repository ${root} has no commit yet.`,
      'Make one: git commit --allow-empty -m "Start".',
    );
  const real = await realpath(root);
  return {
    root: real,
    gitDir: await realpath(resolve(real, gitDir)),
    commonDir: shared,
    head,
    branch: ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined,
    submodules: await exists(`${real}/.gitmodules`),
    gitVersion,
  };
}

/**
 * What confines agents reads refs, their logs and HEAD as files; in such a repository it would find nothing and let
 * everything pass.
 */
const reftable = (path: string): RepositoryError =>
  new RepositoryError(
    `The repository ${path} keeps its refs in tables (extensions.refStorage = reftable), which ralphctl cannot watch.`,
    'Move them to files with git 2.46 or newer: git refs migrate --ref-format=files. Or run ralphctl in a new clone: git clone --ref-format=files.',
  );

/** By the text of the configuration: asking git takes a process, and an older one does not know. */
async function keepsRefsInTables(commonDir: string): Promise<boolean> {
  const config = (await textAt(`${commonDir}/config`)) ?? '';
  return /^\s*refstorage\s*=\s*"?reftable\b/im.test(config) || (await exists(`${commonDir}/reftable`));
}

const PLACES = ['--is-bare-repository', '--absolute-git-dir', '--git-common-dir', '--show-toplevel'];
const HEAD = ['-q', 'HEAD', '--symbolic-full-name', 'HEAD'];

/** Answers of {@link PLACES} and {@link HEAD} in one process; undefined where anything is unusual. */
async function locateWithHead(path: string): Promise<string[] | undefined> {
  const got = await git(path)
    .result(['rev-parse', ...PLACES, ...HEAD], { ok: [0, 1, 128], read: true })
    .catch(() => undefined);
  const lines = got?.stdout.split('\n').filter(Boolean);
  const usual = got?.code === 0 && lines?.length === PLACES.length + 2;
  // With a branch that has no commit, git takes a tag of the name HEAD.
  return usual && /^(?:HEAD|refs\/heads\/(?!HEAD$).+)$/.test(lines.at(-1) ?? '') ? lines : undefined;
}

/** Where a tag or a branch has the name HEAD, git does not say which one HEAD is. Empty: HEAD has no commit. */
async function headOf(root: string): Promise<string[]> {
  const { stdout } = await git(root).result(['symbolic-ref', '-q', 'HEAD'], { ok: [0, 1], read: true });
  const ref = stdout.trim() || 'HEAD';
  const got = await git(root).result(['rev-parse', '--verify', '-q', `${ref}^{commit}`], {
    ok: [0, 1, 128],
    read: true,
  });
  return got.code === 0 ? [got.stdout.trim(), ref] : [];
}

async function locate(path: string): Promise<string[]> {
  try {
    const got = await git(path).result(['rev-parse', ...PLACES], { ok: [0, 128], read: true });
    const lines = got.stdout.split('\n').filter(Boolean);
    if (lines.length > PLACES.length)
      throw new RepositoryError(
        `The path of the repository at ${JSON.stringify(path)} has a line break in it.`,
        'Git lists paths line by line. Move the repository to a folder without a line break in its name.',
      );
    if (got.code === 0 || /must be run in a work tree/.test(got.stderr)) return lines;
    const unknown = /unknown repository extensions? found:\s*(\S+)/.exec(got.stderr)?.[1];
    if (unknown === 'refstorage') throw reftable(path);
    if (unknown !== undefined)
      throw new RepositoryError(
        `This git does not know the extension ${unknown} of the repository ${path}.`,
        'Install a newer git and put it on PATH.',
      );
    if (/dubious ownership/.test(got.stderr))
      throw new RepositoryError(
        `git does not trust ${path}: another user owns it.`,
        `Trust it: git config --global --add safe.directory ${path}`,
      );
    throw new RepositoryError(
      `${path} is not inside a git repository.`,
      'Make it one with git init and a first commit, or run ralphctl elsewhere.',
    );
  } catch (error) {
    if (error instanceof GitError)
      throw new RepositoryError(
        `git cannot read ${path}: ${error.stderr.trim().slice(-300)}`,
        'Check the repository with git fsck.',
      );
    throw error;
  }
}

async function readVersion(dir: string): Promise<string> {
  const text = await git(dir)
    .run(['version'])
    .catch(() => {
      throw new RepositoryError('git cannot be started.', 'Install git 2.38 or newer and put it on PATH.');
    });
  const found = /(\d+)\.(\d+)(?:\.\d+)*/.exec(text);
  if (!found || !isRecent(Number(found[1]), Number(found[2])))
    throw new RepositoryError(`This git is too old (${text}).`, 'Install git 2.38 or newer.');
  return found[0];
}

const isRecent = (major: number, minor: number): boolean =>
  major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1]);

/**
 * The tip of the branch that work lands on. Throws {@link RepositoryError} with the nearest name when it is missing.
 */
export async function targetTip(repo: string, target: string): Promise<string> {
  const text = await git(repo).run(['for-each-ref', '--format=%(refname:lstrip=2) %(objectname)', 'refs/heads/'], {
    read: true,
  });
  const tips = new Map(text.split('\n').map((line) => line.split(' ', 2) as [string, string]));
  const tip = tips.get(target);
  if (tip) return tip;
  const near = nearest(
    target,
    [...tips.keys()].filter((name) => name && !name.startsWith('ralph/')),
  );
  throw new RepositoryError(
    `There is no branch ${target} in ${repo}${near ? `; the nearest name is ${near}` : ''}.`,
    near ? `Set the target to ${near}, or create it: git branch ${target} ${near}` : `Create it: git branch ${target}`,
  );
}

function nearest(name: string, candidates: readonly string[]): string | undefined {
  const alias: Record<string, string> = { main: 'master', master: 'main' };
  const known = alias[name];
  if (known && candidates.includes(known)) return known;
  const scored = candidates.map((candidate) => ({ candidate, d: distance(name, candidate) })).sort((a, b) => a.d - b.d);
  return scored[0]?.candidate;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}
