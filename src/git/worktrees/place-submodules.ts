/**
 * Submodules in worktrees: git leaves their folders empty. ralphctl fills them from the copy in the user's checkout,
 * or, where that lacks the commit, from the URL in .gitmodules.
 * Invariant: the repository's own configuration stays unchanged. A submodule with an agent's work stays as it is.
 */
import { mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RepositoryError } from '../errors.js';
import { readRegular } from '../regular.js';
import { GitError, git } from '../runner.js';
import { exists } from './list.js';
import { hasCommit, isKeptByRef, ownCopy, readSubmodules, type Submodule } from './submodules.js';

export interface SubmodulesPlace {
  worktree: string;
  /** Private git directory of the worktree. */
  gitDir: string;
  /** Git directory of the user's checkout, and its top. */
  commonDir: string;
  from: string;
  /** Nobody has worked in the worktree yet, so existing submodules may be replaced. */
  fresh: boolean;
  signal?: AbortSignal;
}

/** Brings all of them to their named commits. True when one had to change. */
export async function placeSubmodules(place: SubmodulesPlace, depth = 0): Promise<boolean> {
  let changed = false;
  for (const submodule of await readSubmodules(place.worktree)) {
    place.signal?.throwIfAborted();
    if (submodule.off || (await isInactive(place, submodule)))
      await mkdir(join(place.worktree, submodule.path), { recursive: true });
    else if (await placeOne(place, submodule, depth)) changed = true;
  }
  return changed;
}

const isInactive = async ({ from }: SubmodulesPlace, { name }: Submodule): Promise<boolean> =>
  (await setting(from, `submodule.${name}.active`)) === 'false' ||
  (await setting(from, `submodule.${name}.update`)) === 'none';

async function setting(dir: string, key: string): Promise<string> {
  return (await git(dir).result(['config', '--get', key], { ok: [0, 1], read: true })).stdout.trim();
}

/** A deeper path contains a cycle. */
const DEEPEST = 8;

async function placeOne(place: SubmodulesPlace, submodule: Submodule, depth: number): Promise<boolean> {
  const folder = join(place.worktree, submodule.path);
  const gitDir = join(place.gitDir, 'modules', submodule.name);
  const copy = ownCopy(place.commonDir, submodule.name);
  let changed = false;
  try {
    const there = await exists(join(gitDir, 'HEAD'));
    const whole = there && (await exists(join(folder, '.git')));
    if (whole && (await headOf(gitDir)) === submodule.commit) changed = false;
    // An agent's changes of its own submodule are its work.
    else if (there && !place.fresh) changed = whole && (await moveOn(folder, gitDir, copy, submodule));
    else {
      await clone(place, submodule, { folder, gitDir, copy });
      changed = true;
    }
  } catch (error) {
    place.signal?.throwIfAborted();
    if (error instanceof GitError) throw cannot(submodule, error);
    throw error;
  }
  const inner = { ...place, worktree: folder, gitDir, commonDir: copy, from: folder };
  const deeper = depth < DEEPEST && (await placeSubmodules(inner, depth + 1));
  return changed || deeper;
}

const headOf = async (gitDir: string): Promise<string> => (await readRegular(join(gitDir, 'HEAD'))).trim();

/** Moves it to another commit, unless an agent has worked in it. */
async function moveOn(folder: string, gitDir: string, copy: string, { commit }: Submodule): Promise<boolean> {
  const at = await git(folder).run(['rev-parse', 'HEAD'], { read: true });
  const own = !(await isKeptByRef(gitDir, at)) && !(await hasCommit(copy, at));
  const edits = await git(folder).run(['status', '--porcelain', '--untracked-files=no'], { read: true });
  if (own || edits !== '') return false;
  await checkOut(folder, commit);
  return true;
}

async function clone(
  place: SubmodulesPlace,
  submodule: Submodule,
  { folder, gitDir, copy }: { folder: string; gitDir: string; copy: string },
): Promise<void> {
  const { commit } = submodule;
  const url = await addressOf(place.from, submodule);
  await refuseElsewhere(place.worktree, folder, submodule);
  if (place.fresh) await rm(folder, { recursive: true, force: true });
  await rm(gitDir, { recursive: true, force: true });
  await mkdir(dirname(gitDir), { recursive: true });
  const local = await hasCommit(copy, commit);
  const from = local ? ['--shared', '--', copy] : ['--', url];
  const signal = place.signal ? { signal: place.signal } : {};
  const into = ['clone', '-q', '--no-checkout', `--separate-git-dir=${gitDir}`, ...from, folder];
  await git(place.worktree).run(into, signal);
  const repo = git(folder);
  if (local) {
    await repo.run(['remote', 'set-url', 'origin', url]);
    // As a clone from the origin would have them.
    await repo.run(['fetch', '-q', '--no-tags', '--', copy, '+refs/remotes/origin/*:refs/remotes/origin/*']);
  } else if (!(await hasCommit(gitDir, commit))) await repo.run(['fetch', '-q', 'origin', commit], signal);
  await checkOut(folder, commit);
}

/** A link in place of a folder would lead out of the worktree. */
async function refuseElsewhere(worktree: string, folder: string, { path }: Submodule): Promise<void> {
  await mkdir(dirname(folder), { recursive: true }).catch(() => undefined);
  const [top, parent] = await Promise.all([realpath(worktree), realpath(dirname(folder)).catch(() => '')]);
  if (parent === top || parent.startsWith(`${top}/`)) return;
  throw new RepositoryError(
    `The folder of the submodule ${path} leads out of ${worktree}.`,
    `See: ls -la '${dirname(folder)}'`,
  );
}

const checkOut = (folder: string, commit: string): Promise<string> =>
  git(folder).run(['checkout', '-q', '-f', '--detach', commit, '--']);

/** Where git fetches it from: your setting, or else the URL in .gitmodules. */
export const addressOf = async (top: string, { name, url }: Submodule): Promise<string> =>
  (await setting(top, `submodule.${name}.url`)) || resolvedUrl(top, url);

/** A URL that begins with ./ or ../ is relative to that of the repository. */
export async function resolvedUrl(top: string, url: string): Promise<string> {
  if (!/^\.\.?\//.test(url)) return url;
  const remote = (
    await git(top).result(['config', '--get', 'remote.origin.url'], { ok: [0, 1], read: true })
  ).stdout.trim();
  let base = (remote || top).replace(/\/+$/, '');
  let rest = url;
  for (;;) {
    if (rest.startsWith('./')) rest = rest.slice(2);
    else if (rest.startsWith('../')) {
      rest = rest.slice(3);
      base = base.includes('/') ? base.slice(0, base.lastIndexOf('/')) : base.slice(0, base.lastIndexOf(':') + 1);
    } else return base.endsWith(':') ? `${base}${rest}` : `${base}/${rest}`;
  }
}

function cannot({ path, commit, url }: Submodule, error: GitError): RepositoryError {
  const said = error.stderr.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
  return new RepositoryError(
    `The submodule ${path} cannot be set up at ${commit.slice(0, 10)} from ${url}: ${said || error.message}.`,
    `Fetch it into your checkout, then retry: git submodule update --init '${path}'. To do without it: git config submodule.${path}.update none`,
  );
}
