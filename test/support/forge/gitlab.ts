/** The same issues as GitLab's REST API has them, below /api/v4. */
import {
  type Answer,
  type Call,
  type Comment,
  type Issue,
  mayWrite,
  ok,
  paged,
  Refusal,
  type Repo,
  type Route,
  route,
  type World,
} from './world.js';

export const PROJECT = '/api/v4/projects/([^/]+)';

export const GITLAB_ROUTES: readonly Route[] = [
  route('GET', '/api/v4/user', ({ world, login }) => ok(person(world, login))),
  route('GET', PROJECT, (call) => {
    const { owner, name, hasIssues, project, head = 'main' } = projectOf(call);
    const about = { path_with_namespace: `${owner}/${name}`, issues_enabled: hasIssues, default_branch: head };
    return ok({ ...about, ...project });
  }),
  route('GET', `${PROJECT}/members/all`, (call) => {
    const repo = projectOf(call);
    const all = [...repo.members.keys()].filter((login) => mayWrite(repo, login));
    return paged(
      all.map((login) => ({ ...person(call.world, login), access_level: 40 })),
      call,
    );
  }),
  route('GET', `${PROJECT}/issues`, (call) => paged(listed(call), call)),
  route('GET', `${PROJECT}/issues/(\\d+)`, (call) => ok(issueJson(call, issueOf(call)))),
  route('PUT', `${PROJECT}/issues/(\\d+)`, edit),
  route('GET', `${PROJECT}/issues/(\\d+)/notes`, (call) =>
    paged(
      issueOf(call).comments.map((one) => noteJson(call, one)),
      call,
    ),
  ),
  route('POST', `${PROJECT}/issues/(\\d+)/notes`, (call) => ({
    status: 201,
    body: noteJson(call, call.world.comment(issueOf(call), call.login, String(call.body.body))),
  })),
  route('PUT', `${PROJECT}/issues/(\\d+)/notes/(\\d+)`, (call) => {
    const note = noteOf(call);
    note.body = String(call.body.body);
    note.edits += 1;
    return ok(noteJson(call, note));
  }),
  route('DELETE', `${PROJECT}/issues/(\\d+)/notes/(\\d+)`, (call) => {
    const [issue, note] = [issueOf(call), noteOf(call)];
    issue.comments = issue.comments.filter((one) => one !== note);
    return { status: 204 };
  }),
];

export function projectOf({ world, args: [path = ''] }: Call): Repo {
  const repo = world.repos.get(decodeURIComponent(path));
  if (!repo) throw new Refusal(404, '404 Project Not Found');
  return repo;
}

function issueOf(call: Call): Issue {
  const repo = projectOf(call);
  const issue = repo.issues.get(Number(call.args[1]));
  if (!repo.hasIssues || !issue) throw new Refusal(404, '404 Not found');
  return issue;
}

function noteOf(call: Call): Comment {
  const note = issueOf(call).comments.find(({ id }) => id === Number(call.args[2]));
  if (!note) throw new Refusal(404, '404 Not found');
  return note;
}

function listed(call: Call): unknown[] {
  const { query } = call;
  const repo = projectOf(call);
  if (!repo.hasIssues) throw new Refusal(403, '403 Forbidden');
  const labels = (query.get('labels') ?? '').split(',').filter(Boolean);
  const [author, search] = [query.get('author_username'), query.get('search')?.toLowerCase()];
  const since = query.get('updated_after');
  const milestone = query.get('milestone');
  const inIt = repo.milestones.find(({ title }) => title === milestone)?.number;
  return [...repo.issues.values()]
    .filter((one) => (one.state === 'open') === (query.get('state') !== 'closed') && !one.pull)
    .filter((one) => since === null || (one.closedAt ?? one.createdAt) >= since)
    .filter((one) => labels.every((label) => one.labels.includes(label)))
    .filter((one) => milestone === null || (inIt !== undefined && one.milestone === inIt))
    .filter((one) => author === null || one.login === author)
    .filter((one) => search === undefined || `${one.title} ${one.body}`.toLowerCase().includes(search))
    .map((one) => issueJson(call, one));
}

function edit(call: Call): Answer {
  const [repo, issue] = [projectOf(call), issueOf(call)];
  if (!mayWrite(repo, call.login)) throw new Refusal(403, '403 Forbidden');
  const { assignee_ids: ids, add_labels: add, remove_labels: remove, state_event: event } = call.body;
  const people = new Map([...repo.members.keys()].map((login) => [person(call.world, login).id, login]));
  if (Array.isArray(ids)) issue.assignees = ids.flatMap((id: number) => people.get(id) ?? []);
  if (typeof add === 'string') issue.labels = [...new Set([...issue.labels, ...add.split(',')])];
  if (typeof remove === 'string') issue.labels = issue.labels.filter((label) => !remove.split(',').includes(label));
  if (event === 'close') Object.assign(issue, { state: 'closed', closedAt: call.world.now() });
  if (event === 'reopen') issue.state = 'open';
  return ok(issueJson(call, issue));
}

const ids = new WeakMap<World, Map<string, number>>();
export function person(world: World, username: string): { id: number; username: string } {
  const known = ids.get(world) ?? new Map<string, number>();
  ids.set(world, known);
  if (!known.has(username)) known.set(username, known.size + 1);
  return { id: known.get(username) ?? 0, username };
}

const issueJson = (call: Call, issue: Issue) => ({
  ...{ iid: issue.number, title: issue.title, description: issue.body, labels: issue.labels },
  state: issue.state === 'open' ? 'opened' : 'closed',
  author: person(call.world, issue.login),
  assignees: issue.assignees.map((login) => person(call.world, login)),
  web_url: `https://gitlab.localhost/${call.args[0]}/-/issues/${issue.number}`,
  created_at: issue.createdAt,
  closed_at: issue.closedAt ?? null,
});

export const noteJson = (call: Call, { id, body, login, createdAt }: Comment) => ({
  ...{ id, body, system: false, created_at: createdAt },
  author: person(call.world, login),
});
