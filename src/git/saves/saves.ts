/**
 * Save points: the whole state of a worktree as a commit under `refs/ralphctl/save/<idea>/<n>`.
 * Invariant: HEAD, index, files and branches of the worktree stay unchanged.
 */
import { copyFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { refuseBlockedNames } from '../branch-names.js';
import { identityEnv } from '../commits.js';
import { RepositoryError } from '../errors.js';
import { GitError, git } from '../runner.js';
import { isClean, readStatus, type Status } from '../status.js';
import { stageAll } from '../worktrees/commit.js';
import { exists } from '../worktrees/list.js';

export interface SavePoint {
  ref: string;
  commit: string;
  /** The former HEAD; the same as `commit` when nothing was uncommitted. */
  head: string;
  parents: number;
  idea: string;
  n: number;
  /** epoch ms */
  at: number;
}

const PREFIX = 'refs/ralphctl/save';
/** Owner of the saves of a person's checkout. */
export const CHECKOUT_SAVES = 'checkout';

/** Why a state was saved; recorded in the reflog of the save ref. */
export type SaveReason =
  | 'before landing'
  | 'landed without changes of its own'
  | 'its folder was gone'
  | 'a landing conflict was handed back'
  | 'a red landing was handed back'
  | 'rolled back'
  | 'a retry began it again'
  | 'uncommitted work was put away'
  | 'the agent had left its branch'
  | 'its worktree was removed'
  | 'its worktree was moved away'
  | 'its agent was interrupted'
  | 'protected paths were put back'
  | 'before sync'
  | 'a sync was interrupted'
  | 'its agent had made a repository of its own'
  | 'the agent had rewritten its branch'
  | 'somebody else had moved its branch';

/**
 * Saves HEAD, index and untracked files that are not ignored. Returns the ref with the state: a new one, or the last
 * one when it is identical; undefined when the repository has no commit. Pass `status` when it was just read.
 * `since`: nothing is saved where nothing has changed since that commit.
 */
export async function savePoint(opts: {
  worktree: string;
  idea: string;
  why: SaveReason;
  status?: Status;
  since?: string;
}): Promise<string | undefined> {
  const status = opts.status ?? (await readStatus(opts.worktree));
  if (!status.head) return undefined;
  if (opts.since !== undefined && isClean(status) && (await has(opts.worktree, opts.since, status.head)))
    return undefined;
  return isClean(status) ? keep(opts.worktree, opts.idea, status.head, opts.why) : saveDirty(opts, status, status.head);
}

async function has(repo: string, tip: string, commit: string): Promise<boolean> {
  const asked = ['merge-base', '--is-ancestor', commit, tip];
  return (await git(repo).result(asked, { ok: [0, 1, 128], read: true })).code === 0;
}

/** The tree of a worktree's present files, including untracked ones. Changes nothing. */
export async function treeOfFiles(worktree: string): Promise<string> {
  const status = await readStatus(worktree);
  if (isClean(status)) return git(worktree).run(['rev-parse', 'HEAD^{tree}'], { read: true });
  const scratch = await makeTemporary('tree');
  try {
    const env = await ownIndex(worktree, scratch);
    await stageAll(worktree, status, env);
    return await git(worktree).run(['write-tree'], { env });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A separate index for staging. */
export async function ownIndex(worktree: string, scratch: string): Promise<{ GIT_INDEX_FILE: string }> {
  const env = { GIT_INDEX_FILE: join(scratch, 'index') };
  const index = await git(worktree).run(['rev-parse', '--path-format=absolute', '--git-path', 'index'], { read: true });
  // The copy includes the stat cache, so that only changed files are read again.
  if (await exists(index)) await copyIndex(index, env.GIT_INDEX_FILE);
  return env;
}

/** Keeps one commit alive as a save point of the idea. */
export async function keep(repo: string, idea: string, commit: string, why: SaveReason): Promise<string> {
  const saves = await rawSaves(repo, idea);
  const last = saves.at(-1);
  if (last?.commit === commit) return last.ref;
  return claimNext({ repo, idea, why }, (last?.n ?? 0) + 1, commit);
}

async function saveDirty(
  { worktree, idea, why }: { worktree: string; idea: string; why: SaveReason },
  status: Status,
  head: string,
): Promise<string> {
  const scratch = await makeTemporary('save');
  try {
    const env = await ownIndex(worktree, scratch);
    const staged = stagedApart(status) ? await git(worktree).run(['write-tree'], { env }) : undefined;
    await stageAll(worktree, status, env);
    const tree = await git(worktree).run(['write-tree'], { env });
    const last = (await rawSaves(worktree, idea)).at(-1);
    if (last?.tree === tree && last.parents[0] === head && last.stagedTree === staged) return last.ref;
    const who = await identityEnv(worktree);
    const parents = ['-p', head];
    if (staged) {
      const text = `staged state of ${idea}\n`;
      parents.push('-p', await git(worktree).run(['commit-tree', staged, '-p', head], { env: who, input: text }));
    }
    const text = `${subjectOf(idea)}\n${staged ? `\nStaged: ${staged}\n` : ''}`;
    const commit = await git(worktree).run(['commit-tree', tree, ...parents], { env: who, input: text });
    return await claimNext({ repo: worktree, idea, why }, (last?.n ?? 0) + 1, commit);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Copies an index with its age. Git trusts the cached state of a file only when the file is older than the index. With
 * a newer copy, git would miss an edit of the same size within the same clock tick.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await stat(from);
  await copyFile(from, to);
  const seconds = Math.floor(mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

/** Whether a file has a staged version that is neither HEAD's nor the one on disk. */
const stagedApart = (status: Status): boolean =>
  !status.tracked.some((entry) => entry.unmerged) &&
  status.tracked.some((entry) => entry.staged !== '.' && entry.unstaged !== '.');

async function claimNext(
  { repo, idea, why }: { repo: string; idea: string; why: SaveReason },
  from: number,
  commit: string,
): Promise<string> {
  let cause: GitError | undefined;
  for (let n = from; n < from + 50; n++) {
    const ref = `${PREFIX}/${idea}/${n}`;
    // The empty old value lets only one writer take a number.
    const args = ['update-ref', '--create-reflog', '-m', `ralphctl: ${why}`, ref, commit, '0'.repeat(commit.length)];
    const made = await git(repo).result(args, { ok: [0, 128] });
    if (made.code === 0) return ref;
    cause = new GitError(repo, args, made.code, made.stderr);
    if (!/already exists|reference already exists/.test(made.stderr)) break;
  }
  await refuseBlockedNames(repo);
  throw new RepositoryError(
    `The work of ${idea} in ${repo} could not be saved under ${PREFIX}/${idea}/.`,
    'Check free disk space and that the repository is writable, then retry.',
    { cause },
  );
}

/** Subject of a save point that holds uncommitted work. */
export const subjectOf = (idea: string): string => `save point of ${idea}`;

interface RawSave extends Omit<SavePoint, 'head' | 'parents'> {
  tree: string;
  ours: boolean;
  parents: string[];
  stagedTree?: string;
}

async function rawSaves(repo: string, idea?: string): Promise<RawSave[]> {
  const format =
    '%(refname)%00%(objectname)%00%(tree)%00%(parent)%00%(committerdate:unix)%00%(contents:subject)%00%(contents:body)%01';
  const text = await git(repo).run(['for-each-ref', `--format=${format}`, idea ? `${PREFIX}/${idea}/` : `${PREFIX}/`], {
    read: true,
  });
  const saves: RawSave[] = [];
  for (const record of text.split('\x01')) {
    const [ref = '', commit = '', tree = '', parents = '', date = '', subject = '', body = ''] = record
      .replace(/^\n/, '')
      .split('\0');
    const [owner, number] = ref.slice(PREFIX.length + 1).split('/');
    if (!owner || !number) continue;
    const stagedTree = /(?:^|\n)Staged: ([0-9a-f]+)(?:\n|$)/.exec(body)?.[1];
    saves.push({
      ref,
      commit,
      idea: owner,
      n: Number(number),
      at: Number(date) * 1000,
      tree,
      ours: subject === subjectOf(owner),
      parents: parents.split(' ').filter(Boolean),
      stagedTree: stagedTree || undefined,
    });
  }
  return saves.sort((a, b) => (a.idea < b.idea ? -1 : a.idea > b.idea ? 1 : a.n - b.n));
}

/** Save points of one idea, or of all, oldest first. */
export async function listSaves(repo: string, idea?: string): Promise<SavePoint[]> {
  return (await rawSaves(repo, idea)).map(({ ref, commit, idea: owner, n, at, ours, parents }) => ({
    ref,
    commit,
    head: (ours && parents[0]) || commit,
    parents: parents.length,
    idea: owner,
    n,
    at,
  }));
}
