/** Repositories, people and issues of the forge, as GitHub's REST API has them. */
import {
  type Answer,
  associationOf,
  type Call,
  type Comment,
  type Issue,
  mayWrite,
  ok,
  paged,
  Refusal,
  type Repo,
  type Route,
  repoOf,
  route,
} from './world.js';

const REPO = '/repos/([^/]+)/([^/]+)';

export const ISSUE_ROUTES: readonly Route[] = [
  route('GET', '/user', ({ login }) => ok({ login })),
  route('GET', REPO, (call) => ok(repoJson(repoOf(call), call.login))),
  route('GET', `${REPO}/milestones`, (call) => paged(repoOf(call).milestones, call)),
  route('GET', `${REPO}/issues`, (call) => paged(listed(call), call)),
  route('GET', '/search/issues', (call) => search(call)),
  route('GET', `${REPO}/issues/(\\d+)`, (call) => ok(issueJson(repoOf(call), issueOf(call)))),
  route('PATCH', `${REPO}/issues/(\\d+)`, edit),
  route('POST', `${REPO}/issues/(\\d+)/assignees`, (call) => assign(call, true)),
  route('DELETE', `${REPO}/issues/(\\d+)/assignees`, (call) => assign(call, false)),
  route('POST', `${REPO}/issues/(\\d+)/labels`, addLabels),
  route('DELETE', `${REPO}/issues/(\\d+)/labels/([^/]+)`, removeLabel),
  route('GET', `${REPO}/issues/(\\d+)/comments`, (call) => {
    const repo = repoOf(call);
    return paged(
      issueOf(call).comments.map((comment) => commentJson(repo, comment)),
      call,
    );
  }),
  route('POST', `${REPO}/issues/(\\d+)/comments`, (call) => {
    const comment = call.world.comment(issueOf(call), call.login, String(call.body.body));
    return { status: 201, body: commentJson(repoOf(call), comment) };
  }),
  route('PATCH', `${REPO}/issues/comments/(\\d+)`, (call) => {
    const { comment } = commentOf(call);
    comment.body = String(call.body.body);
    comment.edits += 1;
    comment.updatedAt = call.world.now();
    return ok(commentJson(repoOf(call), comment));
  }),
  route('DELETE', `${REPO}/issues/comments/(\\d+)`, (call) => {
    const { issue, comment } = commentOf(call);
    issue.comments = issue.comments.filter((one) => one !== comment);
    return { status: 204 };
  }),
];

function issueOf(call: Call): Issue {
  const repo = repoOf(call);
  if (!repo.hasIssues) throw new Refusal(410, 'Issues are disabled for this repo');
  const issue = repo.issues.get(Number(call.args[2]));
  if (!issue) throw new Refusal(404, 'Not Found');
  return issue;
}

function commentOf(call: Call): { issue: Issue; comment: Comment } {
  const repo = repoOf(call);
  for (const issue of repo.issues.values()) {
    const comment = issue.comments.find(({ id }) => id === Number(call.args[2]));
    if (!comment) continue;
    if (comment.login !== call.login && !mayWrite(repo, call.login)) throw new Refusal(403, 'Must have admin rights');
    return { issue, comment };
  }
  throw new Refusal(404, 'Not Found');
}

function listed(call: Call): unknown[] {
  const repo = repoOf(call);
  if (!repo.hasIssues) throw new Refusal(410, 'Issues are disabled for this repo');
  const { query } = call;
  const state = query.get('state') ?? 'open';
  const labels = (query.get('labels') ?? '').split(',').filter(Boolean);
  const [creator, milestone, since] = [query.get('creator'), query.get('milestone'), query.get('since')];
  return [...repo.issues.values()]
    .filter((one) => state === 'all' || one.state === state)
    .filter((one) => since === null || changed(one) >= since)
    .filter((one) => labels.every((label) => one.labels.includes(label)))
    .filter((one) => creator === null || one.login === creator)
    .filter((one) => milestone === null || String(one.milestone) === milestone)
    .reverse()
    .map((one) => issueJson(repo, one));
}

/** Knows `repo:`, `is:`, `label:`, `author:` and words. Several `repo:` widen the search, as on GitHub. */
function search(call: Call): Answer {
  const terms = (call.query.get('q') ?? '').match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  const of = (key: string): string[] =>
    terms.flatMap((term) => (term.startsWith(`${key}:`) ? [term.slice(key.length + 1).replaceAll('"', '')] : []));
  const repos = of('repo').map((name) => call.world.repos.get(name));
  if (repos.length === 0 || repos.includes(undefined)) throw new Refusal(422, 'Validation Failed');
  const words = terms.filter((term) => !term.includes(':'));
  const found = repos
    .flatMap((repo) => (repo ? [...repo.issues.values()].map((one) => ({ repo, one })) : []))
    .filter(({ one }) => !of('is').includes('open') || one.state === 'open')
    .filter(({ one }) => !of('is').includes('issue') || !one.pull)
    .filter(({ one }) => of('label').every((label) => one.labels.includes(label)))
    .filter(({ one }) => of('author').every((author) => one.login === author))
    .filter(({ one }) => words.every((word) => `${one.title} ${one.body}`.toLowerCase().includes(word.toLowerCase())));
  const page = paged(
    found.map(({ repo, one }) => issueJson(repo, one)),
    call,
  );
  return { ...page, body: { total_count: found.length, incomplete_results: false, items: page.body } };
}

const changed = ({ createdAt, closedAt }: Issue): string => closedAt ?? createdAt;

function edit(call: Call): Answer {
  const issue = writable(call);
  const { state, state_reason: reason } = call.body;
  if (state === 'open' || state === 'closed') issue.state = state;
  if (state === 'closed') issue.closedAt = call.world.now();
  if (typeof reason === 'string') issue.stateReason = reason;
  return ok(issueJson(repoOf(call), issue));
}

function writable(call: Call): Issue {
  if (!mayWrite(repoOf(call), call.login)) throw new Refusal(403, 'Must have push access to repository');
  return issueOf(call);
}

function assign(call: Call, on: boolean): Answer {
  const issue = issueOf(call);
  const repo = repoOf(call);
  // GitHub ignores people who may not write, and says nothing.
  const people = (call.body.assignees as string[]).filter((login) => mayWrite(repo, login));
  const rest = issue.assignees.filter((login) => !people.includes(login));
  issue.assignees = on ? [...rest, ...people] : rest;
  return { status: on ? 201 : 200, body: issueJson(repo, issue) };
}

function addLabels(call: Call): Answer {
  const issue = writable(call);
  const labels = call.body.labels as string[];
  issue.labels = [...new Set([...issue.labels, ...labels])];
  for (const label of labels) repoOf(call).labels.add(label);
  return ok(issue.labels.map((name) => ({ name })));
}

function removeLabel(call: Call): Answer {
  const issue = writable(call);
  const name = decodeURIComponent(call.args[3] ?? '');
  if (!issue.labels.includes(name)) throw new Refusal(404, 'Label does not exist');
  issue.labels = issue.labels.filter((label) => label !== name);
  return ok(issue.labels.map((label) => ({ name: label })));
}

const repoJson = (repo: Repo, login: string) => ({
  ...{
    full_name: `${repo.owner}/${repo.name}`,
    has_issues: repo.hasIssues,
    archived: false,
    default_branch: repo.head ?? 'main',
  },
  allow_auto_merge: repo.autoMerge !== false,
  permissions: { pull: true, triage: mayWrite(repo, login), push: mayWrite(repo, login), admin: false },
});

const issueJson = (repo: Repo, issue: Issue) => ({
  ...{ number: issue.number, title: issue.title, body: issue.body, state: issue.state },
  state_reason: issue.stateReason ?? null,
  user: { login: issue.login },
  author_association: associationOf(repo, issue.login),
  labels: issue.labels.map((name) => ({ name })),
  assignees: issue.assignees.map((login) => ({ login })),
  milestone: repo.milestones.find(({ number }) => number === issue.milestone) ?? null,
  html_url: `https://github.localhost/${repo.owner}/${repo.name}/issues/${issue.number}`,
  repository_url: `http://github.localhost/api/v3/repos/${repo.owner}/${repo.name}`,
  created_at: issue.createdAt,
  closed_at: issue.closedAt ?? null,
  updated_at: changed(issue),
  closed_by: issue.closedBy === undefined ? null : { login: issue.closedBy },
  ...(issue.pull ? { pull_request: {} } : {}),
});

const commentJson = (repo: Repo, { id, login, body, createdAt, updatedAt }: Comment) => ({
  ...{ id, body, user: { login }, author_association: associationOf(repo, login) },
  ...{ created_at: createdAt, updated_at: updatedAt },
  html_url: `https://github.localhost/${repo.owner}/${repo.name}/issues#comment-${id}`,
});
