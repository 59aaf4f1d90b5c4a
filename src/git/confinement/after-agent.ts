/**
 * What an agent can leave in the folders of git that it writes, and what git outside its sandbox would follow out of it:
 * links where git appends and overwrites, names of refs in place of commits, an open operation that moves another branch.
 * Invariant: runs no git, follows no link, waits on no pipe. Call once the agent has ended with all its processes, before
 * the first git there. A branch comes back at the tip where ralphctl left it; files of the worktree stay.
 */
import { constants, type Dirent } from 'node:fs';
import { lstat, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { entriesOf, openToRead, orNone } from '../regular.js';
import { privateGitDir } from '../worktrees/list.js';
import type { OutOfBoundsChange } from './out-of-bounds.js';

export interface Left {
  worktree: string;
  branch: string;
  /** The agent ran in a sandbox. Without one it needs no detour to write elsewhere, and may stand on any branch. */
  sandboxed: boolean;
  /** Where ralphctl left a branch. Undefined: unknown. */
  tipOf: (branch: string) => Promise<string | undefined>;
}

const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._/-]*$/;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Refs that git keeps beside HEAD. Texts for people may begin with any word. */
const BESIDE_HEAD = /^(?!HEAD$)(?!.*MSG$)[A-Z_]+$/;
const LONGEST = 4096;
const MOST_NAMED = 6;

/** Removes and restores. Returns what it found, for a person. */
export async function clearWhatGitFollows(left: Left): Promise<OutOfBoundsChange[]> {
  const gitDir = await privateGitDir(left.worktree);
  if (gitDir === undefined) return [];
  const commonDir = join(gitDir, '../..');
  const [prefix = ''] = left.branch.split('/');
  const branches = join(commonDir, 'refs/heads', prefix);
  // Before the links go: a link in place of a branch is the name of another one, too.
  const changes = await branchesBack(left, prefix, branches);
  if (!left.sandboxed) return changes;
  const mayStandOn = (ref: string): boolean =>
    ref === `refs/heads/${left.branch}` ||
    (ref.startsWith(`refs/heads/${prefix}/`) && PLAIN.test(ref) && !ref.includes('..'));
  changes.push(...(await operationsGone(gitDir, mayStandOn)), ...(await headBack(gitDir, left.branch, mayStandOn)));
  const followed: string[] = [];
  for (const folder of [gitDir, branches, join(commonDir, 'logs/refs/heads', prefix)])
    for (const { path, entry } of await below(folder)) {
      const name = relative(gitDir, path);
      // A pipe is found and told elsewhere; without an index, all files would count as deleted.
      const odd = !entry.isFile() && !entry.isFIFO() && name !== 'index';
      const isRef = BESIDE_HEAD.test(name) || name.startsWith('refs/');
      if (!odd && !(entry.isFile() && isRef && (await beginning(path))?.startsWith('ref:'))) continue;
      await rm(path, { force: true });
      followed.push(shown(relative(commonDir, path)));
    }
  if (followed.length === 0) return changes;
  const more = followed.length > MOST_NAMED ? ` and ${followed.length - MOST_NAMED} more` : '';
  const names = followed.sort().slice(0, MOST_NAMED).join(', ');
  const what = `put links, or other files that lead git elsewhere, where git writes in .git: ${names}${more}; ralphctl removed them`;
  return [{ what }, ...changes];
}

/** Names of people and agents, on one line. */
const shown = (text: string): string => text.replace(/[^ -~]/g, '?').slice(0, 120);

/** Everything below a folder but folders. */
async function below(folder: string): Promise<Array<{ path: string; entry: Dirent }>> {
  const found: Array<{ path: string; entry: Dirent }> = [];
  const next = [folder];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    for (const entry of await entriesOf(at)) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) next.push(path);
      else found.push({ path, entry });
    }
  }
  return found;
}

/** Of a plain file; undefined for anything else. */
async function beginning(path: string): Promise<string | undefined> {
  const file = await openToRead(path, constants.O_NOFOLLOW).catch(orNone);
  if (!file) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST), 0, LONGEST, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Never writes through what is there. */
async function replace(path: string, text: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await writeFile(path, text, { flag: 'wx' });
}

/** Branches of ideas that are names of other refs: git would move and delete those. */
async function branchesBack(
  { branch: own, tipOf }: Left,
  prefix: string,
  folder: string,
): Promise<OutOfBoundsChange[]> {
  const changes: OutOfBoundsChange[] = [];
  for (const { path, entry } of await below(folder)) {
    if (path.endsWith('.lock')) continue;
    const text = entry.isSymbolicLink() ? 'a link' : await beginning(path);
    if (text === undefined || !(entry.isSymbolicLink() || text.startsWith('ref:'))) continue;
    const branch = join(prefix, relative(folder, path));
    const tip = await tipOf(branch);
    const known = tip !== undefined && COMMIT.test(tip);
    if (known) await replace(path, `${tip}\n`);
    else await rm(path, { force: true });
    const name = entry.isSymbolicLink() ? 'another file' : shown(text.slice('ref:'.length).trim());
    const done = known ? `put it back at ${tip.slice(0, 10)}` : 'removed it';
    changes.push({
      what: `made ${branch === own ? 'its branch ' : ''}${shown(branch)} another name of ${name}; ralphctl ${done}`,
    });
  }
  return changes;
}

/** Files that name the branch to which the end of an operation goes back, with all that belongs to the operation. */
const ENDS: ReadonlyArray<readonly [file: string, all: readonly string[]]> = [
  ['rebase-merge/head-name', ['rebase-merge']],
  ['rebase-apply/head-name', ['rebase-apply']],
  ['BISECT_START', ['BISECT_START', 'BISECT_LOG']],
];

/** An end of an operation moves the branch that its file names, and git takes the one of a bisect for an option, too. */
async function operationsGone(gitDir: string, mayStandOn: (ref: string) => boolean): Promise<OutOfBoundsChange[]> {
  const changes: OutOfBoundsChange[] = [];
  for (const [file, all] of ENDS) {
    const path = join(gitDir, file);
    if (!(await lstat(path).catch(orNone))) continue;
    const name = (await beginning(path))?.trim() ?? '';
    if (name === 'detached HEAD' || COMMIT.test(name)) continue;
    if (mayStandOn(name) || mayStandOn(`refs/heads/${name}`)) continue;
    for (const one of all) await rm(join(gitDir, one), { recursive: true, force: true });
    changes.push({
      what: `left an operation of git open that goes back to ${shown(name) || 'nothing'}; ralphctl ended it without that`,
    });
  }
  return changes;
}

/** Stands on a commit, or on a branch of ideas with a name that is harmless in a log. */
async function headBack(
  gitDir: string,
  branch: string,
  mayStandOn: (ref: string) => boolean,
): Promise<OutOfBoundsChange[]> {
  const path = join(gitDir, 'HEAD');
  const link = (await lstat(path).catch(orNone))?.isSymbolicLink() === true;
  const text = link ? 'ref: a link' : await beginning(path);
  // What is neither is mended where a broken worktree is.
  if (text === undefined || !text.startsWith('ref:')) return [];
  const ref = text.slice('ref:'.length).trim();
  if (mayStandOn(ref) && text.trimEnd() === `ref: ${ref}`) return [];
  await replace(path, `ref: refs/heads/${branch}\n`);
  return [
    {
      what: `left its worktree on ${shown(ref.replace(/^refs\/heads\//, ''))}, which is no branch of it; ralphctl went back to ${branch} with its files as they were`,
    },
  ];
}
