/**
 * Links to commits of other repositories (submodules) that work adds or moves and that must not land: others must be
 * able to fetch such a commit.
 * Invariant: reads only. A link of unknown state must not land.
 */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { orNone, readRegular, textAt } from '../regular.js';
import { git } from '../runner.js';
import { privateGitDir } from './list.js';
import { addressOf, resolvedUrl } from './place-submodules.js';
import { type Answer, askOrigin } from './submodule-origin.js';
import { isCheckedOut, ownCopy, readSubmodules, type Submodule } from './submodules.js';

export interface LinkTrouble {
  /** Repositories that were made inside the worktree and added: git stores none of their files. */
  embedded: string[];
  /** Submodules whose new commit exists only here, or whose origin does not answer. */
  unpublished: Array<{ path: string; commit: string; silent?: string }>;
  /** Such links in a commit before the tip, which would land with it. */
  earlier: Array<{ path: string; at: string }>;
  /** Submodules whose address is new, and where nothing answers or the commit is not. */
  unreachable: Array<{ path: string; url: string }>;
  /** Submodules whose `.git` does not lead to their own git directory. */
  redirected: string[];
}

export interface LinkCheck {
  worktree: string;
  base: string;
  /** Each commit lands as it is, not only the tip. */
  history: boolean;
}

/** In the checked-out commit, compared with `base`. */
export async function linkTrouble({ worktree, base, history }: LinkCheck): Promise<LinkTrouble> {
  const trouble: LinkTrouble = { embedded: [], unpublished: [], earlier: [], unreachable: [], redirected: [] };
  const gitDir = await privateGitDir(worktree);
  const known = new Map((await readSubmodules(worktree)).map((one) => [one.path, one]));
  if (gitDir !== undefined)
    for (const { name, path } of known.values())
      if (!(await leadsTo(join(worktree, path), join(gitDir, 'modules', name)))) trouble.redirected.push(path);
  const moved = await movedLinks(worktree, base);
  const commonDir = gitDir === undefined ? worktree : await commonOf(gitDir);
  const before = new Map(
    (known.size > 0 ? await readSubmodules(worktree, base) : []).map((one) => [one.path, one.url]),
  );
  for (const { path } of moved) if (!known.has(path)) trouble.embedded.push(path);
  for (const submodule of known.values()) {
    const { path, url, commit } = submodule;
    // An address that the base has is the user's.
    const given = before.get(path) === url;
    if (given && !moved.some((one) => one.path === path)) continue;
    if (given && (await isCheckedOut(ownCopy(commonDir, submodule.name), commit))) continue;
    const { answer, address } = await ask(submodule, { worktree, commonDir, given });
    if (answer === 'has') continue;
    if (!given) trouble.unreachable.push({ path, url });
    else trouble.unpublished.push({ path, commit, ...(answer === 'silent' ? { silent: address } : {}) });
  }
  if (history) trouble.earlier.push(...(await earlierLinks(worktree, base)));
  return trouble;
}

/** A folder that is not set up leads nowhere. */
async function leadsTo(folder: string, gitDir: string): Promise<boolean> {
  const info = await lstat(join(folder, '.git')).catch(orNone);
  if (!info) return true;
  if (!info.isFile()) return false;
  const link = /^gitdir: ([^\n]+)\n?$/.exec((await textAt(join(folder, '.git'))) ?? '')?.[1];
  const [is, wanted] = await Promise.all(
    [resolve(folder, link ?? ''), gitDir].map((path) => realpath(path).catch(() => path)),
  );
  return link !== undefined && is === wanted;
}

interface Asked {
  worktree: string;
  commonDir: string;
  given: boolean;
}

async function ask(
  submodule: Submodule,
  { worktree, commonDir, given }: Asked,
): Promise<{ answer: Answer; address: string }> {
  // Relative addresses count from the user's checkout where it has no origin. The user's setting belongs to the address
  // that the base has.
  const top = dirname(commonDir);
  const address = given ? await addressOf(top, submodule) : await resolvedUrl(top, submodule.url);
  const copy = ownCopy(commonDir, submodule.name);
  return { answer: await askOrigin({ worktree, commonDir, address, commit: submodule.commit, copy }), address };
}

/**
 * Whether a commit has submodules, or one that lands with it brings a link: then the check of links needs its files. `dir`:
 * where git runs.
 */
export async function mayHaveLinks(dir: string, onto: string, commit: string): Promise<boolean> {
  const { run } = git(dir);
  const log = ['log', '-m', '--raw', '--no-renames', '--no-ext-diff', '--format=', `${onto}..${commit}`, '--'];
  const [names, changes] = await Promise.all([
    run(['ls-tree', '--full-tree', commit, '--', '.gitmodules'], { read: true }),
    run(log, { read: true }),
  ]);
  return names !== '' || changes.includes(' 160000 ');
}

/** Links that a commit before the tip adds without naming where they come from. */
async function earlierLinks(worktree: string, base: string): Promise<LinkTrouble['earlier']> {
  const args = [
    'log',
    '-m',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    '--no-ext-diff',
    '-z',
    '--format=%x01%H',
    // All parents: a merge, of the agent or of `landing.strategy`, has commits that its first parent lacks.
    ...['HEAD^@', '--not', base],
    '--',
  ];
  const { code, stdout } = await git(worktree).result(args, { read: true, ok: [0, 128] });
  const found: LinkTrouble['earlier'] = [];
  for (const record of code === 0 && stdout.includes(' 160000 ') ? stdout.split('\x01') : []) {
    const at = record.slice(0, 40);
    const links = [...record.matchAll(/:\d+ 160000 [0-9a-f]+ [0-9a-f]+ \w+\0([^\0]+)/g)].map(([, path = '']) => path);
    if (links.length === 0) continue;
    const known = new Set((await readSubmodules(worktree, at)).map(({ path }) => path));
    for (const path of links) if (!known.has(path)) found.push({ path, at });
  }
  return found;
}

/** The git directory of the user's checkout. */
async function commonOf(gitDir: string): Promise<string> {
  return resolve(gitDir, (await readRegular(join(gitDir, 'commondir'))).trim());
}

async function movedLinks(worktree: string, base: string): Promise<Array<{ path: string; commit: string }>> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', base, 'HEAD'];
  const fields = (await git(worktree).run(args, { read: true })).split('\0');
  const moved: Array<{ path: string; commit: string }> = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, , commit] = (fields[at] ?? '').split(' ');
    if (mode === '160000' && commit) moved.push({ path: fields[at + 1] ?? '', commit });
  }
  return moved;
}

/** The fix for the agent or a person; undefined when all links are fine. */
export function linkText(trouble: LinkTrouble): string | undefined {
  const { embedded, unpublished, earlier, unreachable, redirected } = trouble;
  const said: string[] = [];
  if (embedded.length > 0) {
    const names = embedded.slice(0, 10).join(', ');
    said.push(
      `these folders are committed as links to repositories that exist only here, so nothing of their files would land: ${names}; remove them (git rm --cached), delete their .git and add their files, or ignore them`,
    );
  }
  for (const { path, commit, silent } of unpublished.slice(0, 5)) {
    said.push(
      silent !== undefined
        ? `the submodule ${path} points to ${commit.slice(0, 10)}, and its origin ${silent.slice(0, 200)} does not answer, so nobody can tell whether it has that commit; restore the link, or see: git ls-remote ${silent.slice(0, 200)}`
        : `the submodule ${path} points to ${commit.slice(0, 10)}, which is in no branch or tag of its origin and not checked out in your checkout: nobody else could fetch it; restore the link, or have the commit pushed there first`,
    );
  }
  for (const { path, at } of earlier.slice(0, 5)) {
    said.push(
      `the commit ${at.slice(0, 10)} links ${path} to a repository that exists only here, and it would land with the others; take the link out of that commit (git rebase -i), or make one commit of them`,
    );
  }
  for (const { path, url } of unreachable.slice(0, 5)) {
    said.push(
      `the submodule ${path} is to come from ${url.slice(0, 200)}, where no repository with its commit answers; correct its url in .gitmodules`,
    );
  }
  for (const path of redirected.slice(0, 5)) {
    said.push(
      `${path}/.git does not lead to the submodule's own git directory; remove ${path} and run: git submodule update --init -- ${path}`,
    );
  }
  return said.length > 0 ? said.join('; ') : undefined;
}
