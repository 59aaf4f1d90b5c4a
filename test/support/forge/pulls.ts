/**
 * Pull requests, checks and reviews of the forge. Commits and merges are real: a repository of the forge may have a bare
 * repository behind it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  associationOf,
  type Call,
  mayWrite,
  ok,
  paged,
  Refusal,
  type Repo,
  type Route,
  repoOf,
  route,
  type World,
} from './world.js';

export interface Said {
  id: number;
  login: string;
  body: string;
  state?: string;
  path?: string;
  line?: number;
  /** The first comment of its thread. */
  replyTo?: number;
}

export interface CheckRun {
  id: number;
  name: string;
  status: string;
  conclusion: string | null;
  /** Null: the forge does not have it. */
  log: string | null;
  /** When it ended; default: not told. */
  completed_at?: string;
}

export interface Pull {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  draft: boolean;
  state: 'open' | 'closed';
  merged?: { commit: string; by: string; squash?: string; head?: string };
  reviews: Said[];
  lines: Said[];
  /** First comments of resolved threads. */
  resolved: number[];
  reviewers: string[];
  /** What GitLab says of it, where it is not what its state tells. */
  status?: string;
  /** GitLab's own notes. */
  events?: string[];
  /** When it was changed last; default: long ago. */
  updatedAt?: string;
  /** Its source is a fork. */
  fork?: true;
  /** Its conversation takes no comments. */
  locked?: true;
  autoMerge?: string;
  /** Its end, and that of the branch below it. */
  timeline?: { event: string; created_at: string }[];
}

/** What another system says of a commit. */
export interface CommitStatus {
  id: number;
  context: string;
  state: string;
  description: string | null;
  target_url: string | null;
}

interface Behind {
  bare: string;
  pulls: Map<number, Pull>;
  checks: Map<string, CheckRun[]>;
  statuses: Map<string, CommitStatus[]>;
}
const behind = new WeakMap<Repo, Behind>();

/** Puts a bare repository behind one of the forge. */
export function withGit(repo: Repo, bare: string): Behind {
  const made = {
    bare,
    pulls: new Map<number, Pull>(),
    checks: new Map<string, CheckRun[]>(),
    statuses: new Map<string, CommitStatus[]>(),
  };
  behind.set(repo, made);
  return made;
}

export function behindOf(repo: Repo): Behind {
  const found = behind.get(repo);
  if (!found) throw new Refusal(404, 'Not Found');
  return found;
}

export const repoWithGit = (world: World): Repo | undefined => [...world.repos.values()].find((one) => behind.has(one));

export const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
/** What the forge does when somebody renames the default branch: open pull requests move onto the new name. */
export function renameDefault(repo: Repo, from: string, to: string): void {
  const { bare, pulls } = behindOf(repo);
  git(bare, 'branch', '--move', from, to);
  repo.head = to;
  for (const one of pulls.values()) if (one.state === 'open' && one.base === from) one.base = to;
}

export const tipOf = (bare: string, branch: string): string => git(bare, 'rev-parse', `refs/heads/${branch}`);

export interface Merging {
  /** The button on the page. */
  how?: 'merge' | 'squash' | 'rebase';
  /** The branch is deleted then; the forge puts open pull requests onto it on its base. */
  deletes?: boolean;
}

/** Merges as the button on the page does. */
export function mergePull(repo: Repo, number: number, by: string, { how = 'merge', deletes }: Merging = {}): string {
  const { bare, pulls } = behindOf(repo);
  const pull = pulls.get(number);
  if (!pull) throw new Error(`no pull request ${number}`);
  const dir = mkdtempSync(join(tmpdir(), 'ralphctl-forge-'));
  try {
    git(dir, 'clone', '--quiet', '--branch', pull.base, bare, 'clone');
    const clone = join(dir, 'clone');
    const who = ['-c', `user.name=${by}`, '-c', `user.email=${by}@localhost`];
    const head = `origin/${pull.head}`;
    const tip = git(clone, 'rev-parse', head);
    if (how === 'merge') git(clone, ...who, 'merge', '--quiet', '--no-ff', '-m', `Merge pull request #${number}`, head);
    if (how === 'squash') {
      git(clone, ...who, 'merge', '--quiet', '--squash', head);
      git(clone, ...who, 'commit', '--quiet', '-m', `${pull.title} (#${number})`);
    }
    // New commits, also where they could stay the same.
    if (how === 'rebase') git(clone, ...who, 'cherry-pick', `origin/${pull.base}..${head}`);
    git(clone, 'push', '--quiet');
    const commit = git(clone, 'rev-parse', 'HEAD');
    Object.assign(pull, { state: 'closed', merged: { commit, by, head: tip } });
    if (deletes) {
      removeBranch(repo, pull.head);
      for (const one of pulls.values()) if (one.state === 'open' && one.base === pull.head) one.base = pull.base;
    }
    return commit;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Somebody deletes a branch: the forge closes the pull requests of it and onto it. */
export function deleteBranch(repo: Repo, branch: string, by: string): void {
  removeBranch(repo, branch);
  for (const { number, state, head, base } of behindOf(repo).pulls.values())
    if (state === 'open' && (head === branch || base === branch)) closePull(repo, number, by);
}

function noteEvent(repo: Repo, pull: Pull, event: string): void {
  pull.timeline = [...(pull.timeline ?? []), { event, created_at: repo.now() }];
}

function removeBranch(repo: Repo, branch: string): void {
  const { bare, pulls } = behindOf(repo);
  git(bare, 'update-ref', '-d', `refs/heads/${branch}`);
  for (const one of pulls.values()) if (one.base === branch) noteEvent(repo, one, 'base_ref_deleted');
}

export function closePull(repo: Repo, number: number, by: string): void {
  const pull = behindOf(repo).pulls.get(number);
  if (pull) noteEvent(repo, pull, 'closed');
  Object.assign(pull ?? {}, { state: 'closed' });
  const issue = repo.issues.get(number);
  // At the comment that goes with it.
  const closedAt = issue?.comments.at(-1)?.createdAt ?? issue?.createdAt;
  Object.assign(issue ?? {}, { state: 'closed', closedBy: by, closedAt });
}

/** A comment on a line, with a review of its own, as GitHub makes it of a single comment and of a reply. */
export function sayOnLine(repo: Repo, number: number, said: Said): Said {
  const pull = behindOf(repo).pulls.get(number);
  if (!pull) throw new Error(`no pull request ${number}`);
  pull.reviews.push({ id: said.id + REVIEW_OF, login: said.login, body: '', state: 'COMMENTED' });
  const line = { path: `${pull.head.replace('ralph/', '')}.txt`, line: 1, ...said };
  pull.lines.push(line);
  return line;
}
const REVIEW_OF = 1_000_000;
/** Ids that the forge gives, above those of the tests. */
export const GIVEN = 100_000;

/** `conclusion`: null while it runs. */
export function check(
  repo: Repo,
  id: number,
  branch: string,
  conclusion: string | null,
  log: string | null = '',
  more: Partial<Pick<CheckRun, 'name' | 'completed_at'>> = {},
): void {
  const { bare, checks } = behindOf(repo);
  const sha = tipOf(bare, branch);
  const status = conclusion === null ? 'in_progress' : 'completed';
  const run = { id, name: 'build', status, conclusion, log, ...more };
  checks.set(sha, [...(checks.get(sha) ?? []), run]);
}

export function tellStatus(repo: Repo, branch: string, status: CommitStatus): void {
  const { bare, statuses } = behindOf(repo);
  const sha = tipOf(bare, branch);
  statuses.set(sha, [...(statuses.get(sha) ?? []), status]);
}

export function mergeable({ bare }: Behind, { head, base, state }: Pull): boolean | null {
  if (state !== 'open') return null;
  try {
    git(bare, 'merge-tree', '--write-tree', `refs/heads/${base}`, `refs/heads/${head}`);
    return true;
  } catch {
    return false;
  }
}

function assertBranch(repo: Repo, name: string): void {
  try {
    tipOf(behindOf(repo).bare, name);
  } catch {
    throw new Refusal(422, 'Validation Failed: base is invalid');
  }
}

const REPO = '/repos/([^/]+)/([^/]+)';

function pullOf(call: Call): Pull {
  const pull = behindOf(repoOf(call)).pulls.get(Number(call.args[2]));
  if (!pull) throw new Refusal(404, 'Not Found');
  return pull;
}

function pullJson(repo: Repo, pull: Pull) {
  const here = behindOf(repo);
  // Later pushes to its branch change nothing of a merged one.
  let sha = pull.merged?.head ?? '';
  try {
    sha ||= tipOf(here.bare, pull.head);
  } catch {
    // The branch is gone.
  }
  return {
    ...{ number: pull.number, title: pull.title, body: pull.body, draft: pull.draft, state: pull.state },
    html_url: `https://github.localhost/${repo.owner}/${repo.name}/pull/${pull.number}`,
    merged_at: pull.merged === undefined ? null : '2026-01-01T00:00:00Z',
    labels: (repo.issues.get(pull.number)?.labels ?? []).map((name) => ({ name })),
    node_id: `PR_${pull.number}`,
    auto_merge: pull.autoMerge ? { merge_method: pull.autoMerge } : null,
    requested_reviewers: pull.reviewers.map((login) => ({ login })),
    ...{ merged: pull.merged !== undefined, merge_commit_sha: pull.merged?.commit ?? null },
    merged_by: pull.merged ? { login: pull.merged.by } : null,
    mergeable: mergeable(here, pull),
    head: { ref: pull.head, sha },
    base: { ref: pull.base },
  };
}

const saidJson = (repo: Repo, { id, login, body, state, path, line, replyTo }: Said) => ({
  ...{ id, body, user: { login }, author_association: associationOf(repo, login), state, path, line: line ?? null },
  ...(replyTo === undefined ? {} : { in_reply_to_id: replyTo }),
  html_url: `https://github.localhost/${repo.owner}/${repo.name}/pull#said-${id}`,
});

export const PULL_ROUTES: readonly Route[] = [
  route('GET', `${REPO}/pulls`, (call) => {
    const repo = repoOf(call);
    const { query } = call;
    const [state, head, base] = [query.get('state') ?? 'open', query.get('head'), query.get('base')];
    const found = [...behindOf(repo).pulls.values()]
      .filter((one) => state === 'all' || one.state === state)
      .filter((one) => head === null || `${repo.owner}:${one.head}` === head)
      .filter((one) => base === null || one.base === base);
    if (query.get('direction') !== 'asc') found.reverse();
    return paged(
      found.map((one) => pullJson(repo, one)),
      call,
    );
  }),
  route('POST', `${REPO}/pulls`, (call) => {
    const repo = repoOf(call);
    const { pulls, bare } = behindOf(repo);
    const { title, body, head, base, draft } = call.body as {
      title: string;
      body: string;
      head: string;
      base: string;
      draft: boolean;
    };
    if (!mayWrite(repo, call.login)) throw new Refusal(403, 'Must have push access to repository');
    if ([...pulls.values()].some((one) => one.state === 'open' && one.head === head && one.base === base))
      throw new Refusal(422, `A pull request already exists for ${repo.owner}:${head}.`);
    tipOf(bare, head);
    assertBranch(repo, base);
    const number = Math.max(0, ...pulls.keys(), ...repo.issues.keys()) + 1;
    const pull: Pull = {
      ...{ number, title, body, head, base, draft },
      state: 'open',
      reviews: [],
      lines: [],
      resolved: [],
      reviewers: [],
    };
    pulls.set(number, pull);
    call.world.issue(repo, { number, title, body, login: call.login, pull: true });
    return { status: 201, body: pullJson(repo, pull) };
  }),
  route('GET', `${REPO}/pulls/(\\d+)`, (call) => ok(pullJson(repoOf(call), pullOf(call)))),
  route('PATCH', `${REPO}/pulls/(\\d+)`, (call) => {
    const [repo, pull] = [repoOf(call), pullOf(call)];
    const { base, body } = call.body as { base?: string; body?: string };
    if (!mayWrite(repo, call.login)) throw new Refusal(403, 'Must have push access to repository');
    if (base !== undefined && pull.state !== 'open') throw new Refusal(422, 'Cannot change the base of a closed one');
    if (base !== undefined) assertBranch(repo, base);
    Object.assign(pull, { ...(base === undefined ? {} : { base }), ...(body === undefined ? {} : { body }) });
    return ok(pullJson(repo, pull));
  }),
  route('POST', `${REPO}/pulls/(\\d+)/requested_reviewers`, (call) => {
    pullOf(call).reviewers.push(...(call.body.reviewers as string[]));
    return { status: 201, body: pullJson(repoOf(call), pullOf(call)) };
  }),
  route('PUT', `${REPO}/pulls/(\\d+)/merge`, (call) => {
    const pull = pullOf(call);
    const { bare } = behindOf(repoOf(call));
    if (call.body.sha !== tipOf(bare, pull.head)) throw new Refusal(409, 'Head branch was modified');
    return ok({ merged: true, sha: mergePull(repoOf(call), pull.number, call.login) });
  }),
  route('GET', `${REPO}/rules/branches/([^/]+)`, (call) =>
    ok((repoOf(call).rules?.(decodeURIComponent(call.args[2] ?? '')) ?? []).map((type) => ({ type }))),
  ),
  route('GET', `${REPO}/branches/([^/]+)`, (call) => {
    const repo = repoOf(call);
    const branch = decodeURIComponent(call.args[2] ?? '');
    try {
      return ok({
        name: branch,
        commit: { sha: tipOf(behindOf(repo).bare, branch) },
        protected: repo.protected === true,
      });
    } catch {
      throw new Refusal(404, 'Branch not found');
    }
  }),
  route('GET', `${REPO}/issues/(\\d+)/timeline`, (call) => paged(pullOf(call).timeline ?? [], call)),
  route('GET', `${REPO}/pulls/(\\d+)/reviews`, (call) =>
    paged(
      pullOf(call).reviews.map((one) => saidJson(repoOf(call), one)),
      call,
    ),
  ),
  route('GET', `${REPO}/pulls/(\\d+)/comments`, (call) =>
    paged(
      pullOf(call).lines.map((one) => saidJson(repoOf(call), one)),
      call,
    ),
  ),
  // A reply to a reply is refused.
  route('POST', `${REPO}/pulls/(\\d+)/comments/(\\d+)/replies`, (call) => {
    const [repo, pull, first] = [repoOf(call), pullOf(call), Number(call.args[3])];
    if (!pull.lines.some(({ id, replyTo }) => id === first && replyTo === undefined))
      throw new Refusal(404, 'Not Found');
    if (!mayWrite(repo, call.login) || pull.locked) throw new Refusal(403, 'Unable to create comment: it is locked');
    const said = { id: GIVEN + call.world.nextId(), login: call.login, body: String(call.body.body), replyTo: first };
    return { status: 201, body: saidJson(repo, sayOnLine(repo, pull.number, said)) };
  }),
  route('GET', `${REPO}/commits/([0-9a-f]+)/check-runs`, (call) => {
    const runs = behindOf(repoOf(call)).checks.get(call.args[2] ?? '') ?? [];
    const page = paged(
      runs.map(({ log: _, ...one }) => ({ ...one, html_url: null })),
      call,
    );
    return { ...page, body: { total_count: runs.length, check_runs: page.body } };
  }),
  // The newest of each context.
  route('GET', `${REPO}/commits/([0-9a-f]+)/status`, (call) => {
    const { statuses } = behindOf(repoOf(call));
    const newest = new Map((statuses.get(call.args[2] ?? '') ?? []).map((one) => [one.context, one] as const));
    const page = paged([...newest.values()], call);
    return { ...page, body: { state: 'pending', total_count: newest.size, statuses: page.body } };
  }),
  route('GET', `${REPO}/actions/jobs/(\\d+)/logs`, (call) => {
    const all = [...behindOf(repoOf(call)).checks.values()].flat();
    const found = all.find(({ id }) => id === Number(call.args[2]));
    if (!found || found.log === null) throw new Refusal(404, 'Not Found');
    return { status: 200, text: found.log };
  }),
];
