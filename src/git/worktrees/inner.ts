/**
 * Repositories inside a worktree: submodules, whose git directories go with the worktree, and others in ignored folders.
 * Invariant: `undefined` is a proof. Every file of each of them is committed, and each of their commits (of refs,
 * reflogs, stash and HEAD) is in a remote-tracking ref or in the checkout's copy, which stays. Whatever cannot be proven
 * is named. Reads only, and git runs in none of them before all are known to name no program of their own.
 */
import { lstat, readdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { changedSettings } from '../confinement/wall-config.js';
import { SET_UP } from '../confinement/wall-deep-changes.js';
import { namesIn, orNone, readRegular } from '../regular.js';
import { git } from '../runner.js';
import { isClean, readStatus } from '../status.js';
import { exists, isUnder } from './list.js';
import { openOperation } from './operations.js';
import { ownCopy } from './submodules.js';

export interface Around {
  /** Top of the worktree. */
  path: string;
  /** Its private git directory. */
  gitDir: string;
  /** Of the checkout, which has copies of submodules. */
  commonDir: string;
}

/** Why the worktree stays, as a part of a sentence; undefined: nothing inside is lost with it. */
export async function innerWork(around: Around): Promise<string | undefined> {
  const modules = join(around.gitDir, 'modules');
  try {
    const [path, ofModules] = [await realpath(around.path), await canonicalOr(modules)];
    const inside: { said: string; gitDir: string; folder?: string }[] = [];
    for await (const { folder, kind } of repositories(around.path)) {
      const name = relative(around.path, folder);
      const gitDir = await gitDirOf(folder, kind);
      const own = isUnder(gitDir, path) || isUnder(gitDir, ofModules);
      if (!own || (await exists(join(gitDir, 'commondir')))) return `${name} in it is a worktree of another repository`;
      inside.push({ said: `the repository ${name} in it`, gitDir, ...(kind === 'bare' ? {} : { folder }) });
    }
    // Also of submodules that have no folder any more.
    for await (const { folder } of repositories(modules))
      inside.push({ said: `its submodule ${relative(modules, folder)}`, gitDir: await realpath(folder) });
    // The status of one repository also asks those inside it.
    for (const { said, gitDir } of inside) {
      const settings = await unusualSettings(gitDir);
      if (settings.length > 0) return `${said} has settings that may run programs (${settings.join(', ')})`;
    }
    for (const { said, gitDir, folder } of inside) {
      if (folder !== undefined && (await topOf(folder)) !== (await realpath(folder)))
        return `${said} has its files elsewhere`;
      const trouble =
        (folder === undefined ? undefined : await filesTrouble(folder, gitDir)) ??
        (await commitsTrouble(gitDir, copyOf(around, ofModules, gitDir)));
      if (trouble !== undefined) return `${said} ${trouble}`;
    }
    return undefined;
  } catch (error) {
    const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `nobody can tell what the repositories in it hold (${said.slice(0, 200)})`;
  }
}

/** `core.worktree` may name another folder, with repositories that nobody has looked at. */
const topOf = (folder: string): Promise<string> => git(folder).run(['rev-parse', '--show-toplevel'], { read: true });

/** Keys of settings beyond those that git writes for a clone or a submodule. */
export async function unusualSettings(gitDir: string): Promise<string[]> {
  const texts = await Promise.all(
    ['config', 'config.worktree'].map(async (name) =>
      (await exists(join(gitDir, name))) ? readRegular(join(gitDir, name)) : '',
    ),
  );
  const keys = (await Promise.all(texts.map((text) => changedSettings('', text)))).flat();
  return keys.filter((key) => !SET_UP.test(key) && !/^user\.(?:name|email)$/.test(key)).slice(0, 3);
}

const canonicalOr = (path: string): Promise<string> => realpath(path).catch(() => path);

/** The checkout's copy of a submodule, where `gitDir` is one. */
const copyOf = ({ commonDir }: Around, modules: string, gitDir: string): string | undefined =>
  isUnder(gitDir, modules) ? ownCopy(commonDir, relative(modules, gitDir)) : undefined;

interface Found {
  folder: string;
  /** `bare`: the folder is the git directory. */
  kind: 'folder' | 'file' | 'bare';
}

/** Those below a folder, also below each other. Follows no link. @throws where a folder cannot be read */
async function* repositories(top: string, dir = top): AsyncGenerator<Found> {
  const listed = await readdir(dir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const is = (name: string): boolean => listed.some((one) => one.name === name);
  const bare = is('HEAD') && is('objects') && is('refs');
  if (bare) yield { folder: dir, kind: 'bare' };
  for (const one of listed) {
    const inner = join(dir, one.name);
    if (one.name.toLowerCase() === '.git') {
      if (dir !== top) yield { folder: dir, kind: one.isDirectory() ? 'folder' : 'file' };
      if (one.isDirectory()) yield* repositories(inner, join(inner, 'modules'));
    } else if (one.isDirectory() && !(bare && GIT_FOLDERS.has(one.name))) yield* repositories(top, inner);
  }
}

/** Large, and without repositories inside. */
const GIT_FOLDERS = new Set(['objects', 'refs', 'logs', 'hooks', 'info']);

async function gitDirOf(folder: string, kind: Found['kind']): Promise<string> {
  if (kind === 'bare') return realpath(folder);
  if (kind === 'folder') return realpath(join(folder, '.git'));
  const link = (await readRegular(join(folder, '.git'))).trim();
  if (!link.startsWith('gitdir: ')) throw new Error(`${join(folder, '.git')} names no repository`);
  return realpath(resolve(folder, link.slice('gitdir: '.length)));
}

async function filesTrouble(folder: string, gitDir: string): Promise<string | undefined> {
  const clean = isClean(await readStatus(folder)) && (await openOperation(gitDir)) === undefined;
  return clean && !(await hidesFiles(folder)) ? undefined : 'holds files that are not committed';
}

/** Files that `git status` does not tell: those with flags, and those in the place of a submodule without a repository. */
export async function hidesFiles(dir: string): Promise<boolean> {
  const listed = await git(dir).run(['ls-files', '-v', '-s', '-z'], { read: true });
  for (const line of listed.split('\0')) {
    if (/^[a-zS] /.test(line)) return true;
    const [, path] = /^\S 160000 [^\t]*\t([\s\S]*)$/.exec(line) ?? [];
    if (path === undefined || (await exists(join(dir, path, '.git')))) continue;
    const about = await lstat(join(dir, path)).catch(orNone);
    if (about && (!about.isDirectory() || (await readdir(join(dir, path))).length > 0)) return true;
  }
  return false;
}

async function commitsTrouble(gitDir: string, copy: string | undefined): Promise<string | undefined> {
  const linked = await namesIn(join(gitDir, 'worktrees'));
  if (linked.length > 0) return 'has worktrees of its own';
  const kept = copy === undefined ? [] : await tipsOf(copy);
  const args = ['rev-list', '--max-count=1', '--ignore-missing', '--all', '--reflog', '--not', '--remotes', '--stdin'];
  const head = await here(gitDir, ['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { ok: [0, 1] });
  const input = [...(head === '' ? [] : [head]), ...kept.map((one) => `^${one}`)].map((one) => `${one}\n`).join('');
  const only = await here(gitDir, args, { input });
  return only === '' ? undefined : 'has commits that no remote-tracking branch has';
}

/** What refs and HEAD of a repository hold. */
async function tipsOf(gitDir: string): Promise<string[]> {
  if (!(await exists(join(gitDir, 'HEAD')))) return [];
  const refs = await here(gitDir, ['for-each-ref', '--format=%(objectname)']);
  const head = await here(gitDir, ['rev-parse', '-q', '--verify', 'HEAD^{commit}'], { ok: [0, 1] });
  return [...new Set([...refs.split('\n'), head])].filter((one) => /^[0-9a-f]{40,64}$/.test(one));
}

/** The folder that the settings of a submodule name may be gone. */
const here = (gitDir: string, args: string[], options: { ok?: number[]; input?: string } = {}): Promise<string> =>
  git(dirname(gitDir)).run(['--git-dir', gitDir, '--work-tree', gitDir, ...args], { ...options, read: true });
