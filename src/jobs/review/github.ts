/**
 * Pull requests of GitHub, through `gh api`.
 * Invariant: only the pushed commit is merged. Repeating a call changes nothing.
 */

import { againstPushOnGitHub } from './against-push.js';
import type { ApiPlace } from './api.js';
import { mergeWhenReady, neverMerge } from './auto-merge.js';
import { checkGitHub } from './check-github.js';
import type { Forge, Listed, Seen } from './forge.js';
import { ghOf, type Repo } from './gh.js';
import { redOnGitHub } from './github-checks.js';
import { keyOf, type Remark, type SaidKind, timeOf } from './said.js';
import { resolveThreads } from './threads.js';

interface ListedJson {
  number: number;
  html_url: string;
  state: 'open' | 'closed';
  merged_at: string | null;
  head: { sha: string };
  base: { ref: string };
  body: string | null;
  labels?: { name: string }[];
  requested_reviewers?: { login: string }[];
  node_id?: string;
  /** Somebody has asked for it. */
  auto_merge?: unknown;
}
interface PullJson {
  number: number;
  state: 'open' | 'closed';
  merged: boolean;
  merge_commit_sha: string | null;
  merged_by: { login: string } | null;
  mergeable: boolean | null;
  head: { sha: string };
  base: { ref: string };
}
interface SaidJson {
  id: number;
  body: string | null;
  user: { login: string } | null;
  author_association: string;
  state?: string;
  path?: string;
  line?: number | null;
  html_url?: string;
  created_at?: string;
  /** Of a review. */
  submitted_at?: string | null;
  /** Of a comment on a line: the first one of its thread. */
  in_reply_to_id?: number | null;
}

interface ClosedJson {
  closed_by?: { login: string } | null;
  closed_at?: string | null;
}

interface EventJson {
  event?: string;
  created_at?: string;
}
/** GitHub notes both in the same second. */
const TOGETHER_MS = 5000;

function closedWithBase(events: readonly EventJson[]): boolean {
  const last = (name: string) => timeOf(events.findLast(({ event }) => event === name)?.created_at).at;
  const [closed, gone] = [last('closed'), last('base_ref_deleted')];
  return closed !== undefined && gone !== undefined && Math.abs(closed - gone) <= TOGETHER_MS;
}

/** People whose words reach the agent. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

export function gitHub(place: ApiPlace, repo: Repo): Forge {
  const gh = ghOf(place, repo);
  const pathOf: Record<SaidKind, (number: number) => string> = {
    review: (number) => `pulls/${number}/reviews`,
    line: (number) => `pulls/${number}/comments`,
    comment: (number) => `issues/${number}/comments`,
  };
  return {
    words: { one: 'Pull request', sign: '#', login: 'gh auth status' },
    me: async () => (await gh.get<{ login: string }>('/user'))?.login,
    listOf: async (branch) => {
      const of = `head=${repo.owner}:${branch}`;
      const listed = await gh.get<ListedJson[]>(`pulls?state=all&sort=created&direction=desc&${of}`);
      return (listed ?? []).map(asListed);
    },
    read: async (number) => {
      const pull = await gh.get<PullJson>(`pulls/${number}`);
      return pull && asSeen(pull);
    },
    closing: async (number) => {
      const issue = await gh.get<ClosedJson>(`issues/${number}`);
      return { ...(issue?.closed_by ? { by: issue.closed_by.login } : {}), ...timeOf(issue?.closed_at) };
    },
    asKept: (text) => text,
    open: async ({ title, body, branch: head, base, draft }) =>
      asListed(await gh.send<ListedJson>('POST', 'pulls', { title, head, base, draft, body })),
    change: async (number, to) => {
      await gh.send('PATCH', `pulls/${number}`, to);
    },
    disarm: (pull) => neverMerge(gh, pull),
    closedWithBase: async (number) => closedWithBase(await gh.list<EventJson>(`issues/${number}/timeline`)),
    addLabels: async (number, labels) => {
      await gh.send('POST', `issues/${number}/labels`, { labels });
    },
    reviewed: async (number) =>
      (await gh.list<SaidJson>(pathOf.review(number))).flatMap(({ user }) => user?.login ?? []),
    askReviewers: async (number, reviewers) => {
      await gh.send('POST', `pulls/${number}/requested_reviewers`, { reviewers });
    },
    redChecks: ({ head }, known) => redOnGitHub(gh, head, known),
    remarks: async (number, kinds) => {
      const all: Remark[] = [];
      for (const kind of kinds)
        all.push(...(await gh.list<SaidJson>(pathOf[kind](number))).map((one) => asRemark(kind, one)));
      return all;
    },
    trusts: ({ member }) => Promise.resolve(member === true),
    reply: async (number, { id }, body) => {
      await gh.send('POST', `pulls/${number}/comments/${id}/replies`, { body });
    },
    resolve: (number, threads) => resolveThreads(gh, number, new Set(threads.flatMap(({ first }) => first.url ?? []))),
    comment: async (number, body) => {
      await gh.send('POST', `issues/${number}/comments`, { body });
    },
    mergeWhenReady: (pull, head, how) => mergeWhenReady(gh, pull, head, how),
    check: (target, remote, autoMerge) => checkGitHub(gh, target, remote, autoMerge),
    againstPush: (branch, how) => againstPushOnGitHub(gh, branch, how),
  };
}

const asListed = (json: ListedJson): Listed => ({
  ...{ number: json.number, url: json.html_url, head: json.head.sha, base: json.base.ref, body: json.body ?? '' },
  state: json.state === 'open' ? 'open' : json.merged_at === null ? 'closed' : 'merged',
  labels: (json.labels ?? []).map(({ name }) => name),
  reviewers: (json.requested_reviewers ?? []).map(({ login }) => login),
  armed: Boolean(json.auto_merge),
  ...(json.node_id === undefined ? {} : { node: json.node_id }),
});

const asSeen = ({ number, state, merged, head, base, merge_commit_sha, merged_by, mergeable }: PullJson): Seen => ({
  ...{ number, head: head.sha, base: base.ref, apart: mergeable === false, state: merged ? 'merged' : state },
  ...(merged ? { commit: merge_commit_sha ?? head.sha } : {}),
  ...(merged && merged_by ? { by: merged_by.login } : {}),
});

function asRemark(kind: SaidKind, said: SaidJson): Remark {
  const { id, user, author_association, state, path, line, html_url: url } = said;
  const body = said.body ?? '';
  const asks = kind !== 'review' || state === 'CHANGES_REQUESTED' || (state === 'COMMENTED' && body.trim() !== '');
  return {
    ...{ kind, key: keyOf(kind, id), body, asks, member: TRUSTED.has(author_association) },
    ...(user ? { author: user.login } : {}),
    ...(path ? { path } : {}),
    ...(line ? { line } : {}),
    ...(url ? { url } : {}),
    ...timeOf(said.created_at ?? said.submitted_at),
    ...(kind === 'line' ? { thread: String(said.in_reply_to_id ?? id) } : {}),
  };
}
