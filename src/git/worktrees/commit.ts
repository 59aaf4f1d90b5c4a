/**
 * Commits the files that an agent left.
 * Invariant: nothing in the worktree is dropped. Files that cannot be committed are reported.
 */

import { identityEnv } from '../commits.js';
import { isLockContention, lockHeld } from '../locks.js';
import { type GitResult, git } from '../runner.js';
import { readStatus, type Status } from '../status.js';
import { writeMissing } from './missing-objects.js';

export interface CommitInput {
  worktree: string;
  /** Whole message, trailers included. */
  message: string;
  /** Let the user's commit hooks run; default true. */
  hooks?: boolean;
  /** Sign with the user's configured key; default false, because a passphrase prompt would hang. */
  sign?: boolean;
  /** Author and committer where none is configured. */
  fallback?: { name: string; email: string };
  signal?: AbortSignal;
  /** A status that was read just now: saves a process. */
  status?: Status;
}

export interface CommitResult {
  committed: boolean;
  /** Folders with their own git repository: skipped, because git would store only a link to them. */
  nested: string[];
  /** A hook (or the signer) refused; the tail of its output. The work stays staged. */
  refused?: string;
}

/** Commits everything that is not ignored, if there is anything. Throws `GitError` when git itself fails. */
export async function commitLeftovers(input: CommitInput): Promise<CommitResult> {
  const status = input.status ?? (await readStatus(input.worktree));
  const nothing = { committed: false, nested: status.nested };
  if (status.tracked.length + status.untracked.length === 0) return nothing;
  // The cached identity is looked up in parallel.
  await Promise.all([stageAll(input.worktree, status), identityEnv(input.worktree, input.fallback)]);
  let made = await commitStaged(input);
  if (made.code !== 0 && (await writeMissing(input.worktree, made.stderr))) made = await commitStaged(input);
  if (made.code !== 0) {
    const said = `${made.stdout}\n${made.stderr}`.trim();
    if (/nothing to commit|nothing added to commit/.test(said)) return nothing;
    return { ...nothing, refused: isLockContention(said) ? lockHeld(said) : said.slice(-2000) };
  }
  return { committed: true, nested: status.nested };
}

async function commitStaged(input: CommitInput): Promise<GitResult> {
  const hooks = input.hooks ?? true;
  const flags = ['--file=-', '--cleanup=whitespace', ...(hooks ? [] : ['--no-verify'])];
  return git(input.worktree).result(['commit', '--quiet', ...flags], {
    env: await identityEnv(input.worktree, input.fallback),
    input: input.message,
    hooks,
    ok: [0, 1, 128],
    config: ['i18n.commitEncoding=UTF-8', ...(input.sign ? ['commit.gpgSign=true'] : [])],
    signal: input.signal,
  });
}

export interface BranchState {
  head: string;
  /** Commits that `since` does not contain. */
  commits: number;
  /** Commits of `since` that HEAD does not contain: the branch was rewritten. */
  lost: number;
  /** The tree of HEAD differs from the tree of the base. */
  changed: boolean;
  /** Files whose committed lines contain both ends of a conflict. */
  conflictMarkers: string[];
  /** Tree of HEAD. */
  tree: string;
}

/** The state of the branch. `since` is the tip before the iteration. Three processes at once. */
export async function branchState(input: { worktree: string; base: string; since: string }): Promise<BranchState> {
  const { worktree, base, since } = input;
  const run = git(worktree).run;
  const [trees, sides, conflictMarkers] = await Promise.all([
    run(['rev-parse', 'HEAD', 'HEAD^{tree}', `${base}^{tree}`], { read: true }),
    run(['rev-list', '--count', '--left-right', `${since}...HEAD`], { read: true }),
    markers(worktree, base, 'HEAD'),
  ]);
  const [head = '', tree = '', baseTree] = trees.split('\n');
  const [lost = 0, commits = 0] = sides.split('\t').map(Number);
  return { head, commits, lost, changed: tree !== baseTree, conflictMarkers, tree };
}

async function markers(worktree: string, base: string, head: string): Promise<string[]> {
  const quiet =
    'core.whitespace=-trailing-space,-space-before-tab,-indent-with-non-tab,-tab-in-indent,-blank-at-eof,-cr-at-eol';
  const args = ['diff-tree', '-r', '--check', '--no-ext-diff', '--no-textconv', base, head];
  const run = (argv: readonly string[]): Promise<string> =>
    git(worktree).run(argv, { ok: [0, 1, 2], config: [quiet], read: true });
  const text = await run(args);
  const flagged = new Set<string>();
  for (const line of text.split('\n')) {
    const path = /^(.+):\d+: leftover conflict marker$/s.exec(line)?.[1];
    if (path) flagged.add(path);
  }
  // Seven equals signs may also be a heading: only both ends together are a conflict.
  const patch = async (path: string): Promise<string> =>
    run(['diff-tree', '-p', '-U0', '--no-ext-diff', '--no-textconv', base, head, '--', `:(top,literal)${path}`]);
  const left: string[] = [];
  for (const path of flagged) {
    const added = await patch(path);
    if (/(?:^|\n)\+<<<<<<< /.test(added) && /(?:^|\n)\+>>>>>>> /.test(added)) left.push(path);
  }
  return left;
}

/*
 * `git add -A` that tolerates repositories nested in the worktree: it skips and reports them, because git would record
 * links to commits that exist nowhere else.
 */

/** Up to this many changed paths, and characters in them, are passed by name; with more, git scans every file. */
const MOST_NAMED = 100;
const LONGEST_NAMED = 16_000;

/** Stages everything that the status shows, except nested repositories. */
export async function stageAll(dir: string, status: Status, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const repo = git(dir);
  const options = { env, config: ['core.safecrlf=false'] };
  const named = changedPaths(status);
  if (named?.length === 0) return;
  // Outside the cone of a sparse checkout, files may be edited, too.
  // A change after the status was read is refused by name, and found by a full scan.
  if (
    named &&
    (await repo.result(['add', '-A', '--sparse', '--', ...named], { ...options, ok: [0, 1, 128] })).code === 0
  )
    return;
  const leftOut = status.nested.map((path) => `:(top,exclude,literal)${path}`);
  await repo.run(['add', '-A', '--sparse', '--', ':/', ...leftOut], options);
}

/** Unstaged changes as pathspecs; undefined where they are unknown or too many. */
function changedPaths({ tracked, untracked }: Status): string[] | undefined {
  // Of a moved file only the new name is known here.
  if (tracked.some(({ staged, unstaged }) => /[RC]/.test(staged + unstaged))) return undefined;
  const open = tracked.filter(({ unstaged, unmerged }) => unstaged !== '.' || unmerged);
  const specs = [...open.map(({ path }) => path), ...untracked].map((path) => `:(top,literal)${path}`);
  return specs.length <= MOST_NAMED && specs.join('').length <= LONGEST_NAMED ? specs : undefined;
}
