/**
 * Committing what an agent left behind.
 * Invariant: nothing that is in the worktree is dropped; what cannot be committed is reported.
 */
import { type GitResult, git } from './git.js';
import { identityEnv } from './identity.js';
import { stageAll } from './stage.js';
import { readStatus, type Status } from './status.js';

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
}

export interface CommitResult {
  committed: boolean;
  /** Branch tip afterwards. */
  head: string;
  /** Folders with a git repository of their own: left out, because git would keep only a link to them. */
  nested: string[];
  /** A hook (or the signer) refused; tail of what it printed. The work stays staged. */
  refused?: string;
}

/** Commits everything that is not ignored, if there is anything. Throws `GitError` when git itself fails. */
export async function commitLeftovers(input: CommitInput): Promise<CommitResult> {
  const status = await readStatus(input.worktree);
  const head = status.head ?? '';
  const nothing = { committed: false, head, nested: status.nested };
  if (status.tracked.length + status.untracked.length === 0) return nothing;
  await stageAll(input.worktree, status);
  const made = await commit(input);
  if (made.code !== 0) {
    const said = `${made.stdout}\n${made.stderr}`.trim();
    return /nothing to commit|nothing added to commit/.test(said)
      ? nothing
      : { ...nothing, refused: said.slice(-2000) };
  }
  return {
    committed: true,
    head: await git(input.worktree).run(['rev-parse', 'HEAD'], { read: true }),
    nested: status.nested,
  };
}

async function commit(input: CommitInput): Promise<GitResult> {
  const hooks = input.hooks ?? true;
  const flags = ['--file=-', '--cleanup=whitespace', ...(hooks ? [] : ['--no-verify'])];
  return git(input.worktree).result(['commit', '--quiet', ...flags], {
    env: await identityEnv(input.worktree, input.fallback),
    input: input.message,
    hooks,
    ok: [0, 1, 128],
    ...(input.sign ? { config: ['commit.gpgSign=true'] } : {}),
    ...(input.signal ? { signal: input.signal } : {}),
  });
}

export interface IterationState {
  head: string;
  /** Commits that `since` does not contain. */
  commits: number;
  /** The tree of HEAD differs from the tree of the base. */
  changed: boolean;
  tree: string;
  /** Something is uncommitted. */
  dirty: boolean;
  /** HEAD is the idea's branch. */
  onBranch: boolean;
  /** Files in which committed lines are leftover conflict markers. */
  conflictMarkers: string[];
}

/** What an iteration did to the idea's branch. `since` is the tip before it. Reads only, two to four processes. */
export async function iterationState(input: {
  worktree: string;
  base: string;
  branch: string;
  since: string;
}): Promise<IterationState> {
  const run = git(input.worktree).run;
  const [status, trees] = await Promise.all([
    readStatus(input.worktree),
    run(['rev-parse', 'HEAD^{tree}', `${input.base}^{tree}`, 'HEAD'], { read: true }),
  ]);
  const [tree = '', baseTree = '', head = ''] = trees.split('\n');
  const changed = tree !== baseTree;
  const [commits, conflictMarkers] = await Promise.all([
    head === input.since ? 0 : run(['rev-list', '--count', `${input.since}..${head}`], { read: true }).then(Number),
    changed ? markers(input.worktree, input.base, head) : [],
  ]);
  return {
    head,
    commits,
    changed,
    tree,
    dirty: isDirty(status),
    onBranch: status.branch === input.branch,
    conflictMarkers,
  };
}

const isDirty = (status: Status): boolean => status.tracked.length + status.untracked.length > 0;

async function markers(worktree: string, base: string, head: string): Promise<string[]> {
  const quiet =
    'core.whitespace=-trailing-space,-space-before-tab,-indent-with-non-tab,-tab-in-indent,-blank-at-eof,-cr-at-eol';
  const args = ['diff-tree', '-r', '--check', '--no-ext-diff', '--no-textconv', base, head];
  const text = await git(worktree).run(args, { ok: [0, 1, 2], config: [quiet], read: true });
  const files = new Set<string>();
  for (const line of text.split('\n')) {
    const at = /^(.+):\d+: leftover conflict marker$/.exec(line);
    if (at?.[1]) files.add(at[1]);
  }
  return [...files];
}
