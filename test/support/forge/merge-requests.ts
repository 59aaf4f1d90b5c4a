/**
 * The same pull requests as GitLab's REST API has them, below /api/v4: merge requests, pipelines, jobs, discussions.
 * The pipeline of a commit consists of its checks.
 */
import { noteJson, PROJECT, person, projectOf } from './gitlab.js';
import { behindOf, type CheckRun, GIVEN, git, mergeable, mergePull, type Pull, sayOnLine, tipOf } from './pulls.js';
import {
  type Answer,
  type Call,
  type Issue,
  mayWrite,
  ok,
  paged,
  protectedNames,
  Refusal,
  type Repo,
  type Route,
  route,
} from './world.js';

const REQUEST = `${PROJECT}/merge_requests/(\\d+)`;
const PROJECT_ID = 7;

function requestOf(call: Call): Pull {
  const found = behindOf(projectOf(call)).pulls.get(Number(call.args[1]));
  if (!found) throw new Refusal(404, '404 Not found');
  return found;
}

function talkOf(call: Call): Issue {
  const issue = projectOf(call).issues.get(Number(call.args[1]));
  if (!issue) throw new Refusal(404, '404 Not found');
  return issue;
}

/** A squash or a fast-forward, as the button on the page makes it. `mergePull` makes a merge commit. */
export function mergeWithoutCommit(repo: Repo, number: number, by: string, how: 'squash' | 'ff'): string {
  const { bare, pulls } = behindOf(repo);
  const pull = pulls.get(number);
  if (!pull) throw new Error(`no merge request ${number}`);
  const head = tipOf(bare, pull.head);
  const who = ['-c', `user.name=${by}`, '-c', `user.email=${by}@localhost`];
  const base = `refs/heads/${pull.base}`;
  if (how === 'ff') git(bare, 'merge-base', '--is-ancestor', base, head);
  const tree = git(bare, 'merge-tree', '--write-tree', base, head);
  const commit = how === 'ff' ? head : git(bare, ...who, 'commit-tree', tree, '-p', base, '-m', pull.title);
  git(bare, 'update-ref', base, commit);
  Object.assign(pull, {
    state: 'closed',
    merged: { commit: '', by, head, ...(how === 'ff' ? {} : { squash: commit }) },
  });
  return commit;
}

const isRed = ({ conclusion }: CheckRun): boolean => conclusion === 'failure';
const statusOf = (checks: readonly CheckRun[]): string =>
  checks.some(({ conclusion }) => conclusion === null) ? 'running' : checks.some(isRed) ? 'failed' : 'success';
/** A number from the commit. */
const pipelineId = (sha: string): number => Number.parseInt(sha.slice(0, 7), 16);

function pipelineJson(repo: Repo, sha: string) {
  const checks = behindOf(repo).checks.get(sha) ?? [];
  if (checks.length === 0) return null;
  return { id: pipelineId(sha), sha, status: statusOf(checks), web_url: `https://gitlab.localhost/pipelines/${sha}` };
}

function stateOf({ state, merged }: Pull): string {
  if (merged) return 'merged';
  return state === 'open' ? 'opened' : 'closed';
}

function headOf(repo: Repo, { head, merged }: Pull): string | null {
  // Later pushes to its branch change nothing of a merged one.
  if (merged?.head !== undefined) return merged.head;
  try {
    return tipOf(behindOf(repo).bare, head);
  } catch {
    return null;
  }
}

function requestJson(call: Call, pull: Pull) {
  const repo = projectOf(call);
  const sha = headOf(repo, pull);
  const people = (logins: readonly string[]) => logins.map((login) => person(call.world, login));
  const conflicts = mergeable(behindOf(repo), pull) === false;
  const draft = pull.title.startsWith('Draft: ');
  const free = conflicts ? 'conflict' : draft ? 'draft_status' : 'mergeable';
  const issue = repo.issues.get(pull.number);
  return {
    ...{ iid: pull.number, project_id: PROJECT_ID, source_project_id: pull.fork ? PROJECT_ID + 1 : PROJECT_ID },
    ...{ title: pull.title, description: pull.body, state: stateOf(pull), sha, draft },
    ...{ source_branch: pull.head, target_branch: pull.base, has_conflicts: conflicts },
    web_url: `https://gitlab.localhost/${repo.owner}/${repo.name}/-/merge_requests/${pull.number}`,
    ...{ merge_commit_sha: pull.merged?.commit || null, squash_commit_sha: pull.merged?.squash ?? null },
    merge_user: pull.merged ? person(call.world, pull.merged.by) : null,
    closed_by: issue?.closedBy ? person(call.world, issue.closedBy) : null,
    closed_at: issue?.closedAt ?? null,
    ...{ labels: issue?.labels ?? [], reviewers: people(pull.reviewers) },
    merge_when_pipeline_succeeds: pull.autoMerge !== undefined,
    detailed_merge_status: pull.status ?? (pull.state === 'open' ? free : 'not_open'),
    updated_at: pull.updatedAt ?? '2026-01-01T00:00:00Z',
  };
}

const single = (call: Call, pull: Pull) => {
  const sha = headOf(projectOf(call), pull);
  return { ...requestJson(call, pull), head_pipeline: sha === null ? null : pipelineJson(projectOf(call), sha) };
};

function open(call: Call): Answer {
  const repo = projectOf(call);
  const { pulls, bare } = behindOf(repo);
  const { title, description = '', source_branch: head, target_branch: base } = call.body as Record<string, string>;
  if (!mayWrite(repo, call.login)) throw new Refusal(403, '403 Forbidden');
  if (!title || !head || !base) throw new Refusal(400, 'title, source_branch or target_branch is missing');
  const same = [...pulls.values()].find(
    (one) => one.state === 'open' && !one.fork && one.head === head && one.base === base,
  );
  if (same) throw new Refusal(409, `Another open merge request already exists for this source branch: !${same.number}`);
  tipOf(bare, head);
  const number = Math.max(0, ...pulls.keys(), ...repo.issues.keys()) + 1;
  const made: Pull = {
    ...{ number, title, body: description, head, base, draft: title.startsWith('Draft: ') },
    // A line with a command is carried out.
    state: /^\/close\s*$/m.test(description) ? 'closed' : 'open',
    ...{ reviews: [], lines: [], resolved: [], reviewers: [], updatedAt: new Date().toISOString() },
  };
  pulls.set(number, made);
  call.world.issue(repo, { number, title, body: description, login: call.login, pull: true });
  return { status: 201, body: single(call, made) };
}

function edit(call: Call): Answer {
  const [repo, pull] = [projectOf(call), requestOf(call)];
  if (!mayWrite(repo, call.login)) throw new Refusal(403, '403 Forbidden');
  const { add_labels: labels, reviewer_ids: ids, target_branch: base, description: body } = call.body;
  if (typeof base === 'string') pull.base = base;
  if (typeof body === 'string') pull.body = body;
  const issue = talkOf(call);
  if (typeof labels === 'string') issue.labels = [...new Set([...issue.labels, ...labels.split(',')])];
  if (Array.isArray(ids))
    pull.reviewers = [...repo.members.keys()].filter((login) => ids.includes(person(call.world, login).id));
  return ok(single(call, pull));
}

/** Waits for a pipeline that runs; merges at once where it is green, or where nobody asks to wait. */
function merge(call: Call): Answer {
  const [repo, pull] = [projectOf(call), requestOf(call)];
  const { sha, auto_merge: later, squash } = call.body;
  const now = single(call, pull);
  if (!mayWrite(repo, call.login) || repo.autoMerge === false) throw new Refusal(401, '401 Unauthorized');
  const pipeline = now.head_pipeline?.status;
  if (later && pipeline === 'running' && now.state === 'opened') {
    pull.autoMerge = squash === true ? 'squash' : 'merge';
    pull.events = [...(pull.events ?? []), `enabled an automatic merge when all merge checks for ${now.sha} pass`];
    return ok(single(call, pull));
  }
  if (now.detailed_merge_status !== 'mergeable' || (later && pipeline !== 'success'))
    throw new Refusal(405, '405 Method Not Allowed');
  if (sha !== now.sha) throw new Refusal(409, `SHA does not match HEAD of source branch: ${now.sha}`);
  if (squash === true) mergeWithoutCommit(repo, pull.number, call.login, 'squash');
  else mergePull(repo, pull.number, call.login);
  return ok(single(call, pull));
}

/** Comments on lines stand in threads; the others stand alone. Events of GitLab's own are among them. */
function discussions(call: Call): unknown[] {
  const [repo, { lines, resolved, reviews, events = [] }] = [projectOf(call), requestOf(call)];
  const note = (id: number, login: string, body: string, more = {}) => ({
    ...{ id, body, system: false, author: person(call.world, login), ...more },
  });
  const threads = lines
    .filter(({ replyTo }) => replyTo === undefined)
    .map(({ id: first }) => ({
      ...{ id: `d${first}`, individual_note: false },
      notes: lines
        .filter(({ id, replyTo }) => id === first || replyTo === first)
        .map(({ id, login, body, path, line }) =>
          note(id, login, body, {
            ...{ resolvable: true, resolved: resolved.includes(first) },
            ...(path ? { position: { new_path: path, old_path: path, new_line: line ?? null, old_line: null } } : {}),
          }),
        ),
    }));
  const alone = talkOf(call).comments.map((one) => noteJson(call, one));
  const own = events.map((body, at) => note(GIVEN * 2 + at, repo.owner, body, { system: true }));
  // One each time, also where the reviewer's state stays the same.
  const asked = reviews.map(({ id, login }) => note(GIVEN * 3 + id, login, 'requested changes', { system: true }));
  return [
    ...threads,
    ...[...alone, ...own, ...asked].map((one) => ({ id: `n${one.id}`, individual_note: true, notes: [one] })),
  ];
}

const mayTalk = (call: Call): void => {
  if (!mayWrite(projectOf(call), call.login) || requestOf(call).locked) throw new Refusal(403, '403 Forbidden');
};

const firstOf = (call: Call): number => {
  const first = Number(call.args[2]?.slice(1));
  if (!requestOf(call).lines.some(({ id, replyTo }) => id === first && replyTo === undefined))
    throw new Refusal(404, '404 Discussion Not Found');
  return first;
};

const checksOf = (call: Call): CheckRun[] =>
  [...behindOf(projectOf(call)).checks].flatMap(([sha, all]) => (pipelineId(sha) === Number(call.args[1]) ? all : []));

export const REQUEST_ROUTES: readonly Route[] = [
  route('GET', `${PROJECT}/merge_requests`, (call) => {
    const { query } = call;
    const [source, target] = [query.get('source_branch'), query.get('target_branch')];
    const found = [...behindOf(projectOf(call)).pulls.values()]
      .filter((one) => source === null || one.head === source)
      .filter((one) => target === null || one.base === target);
    return paged(
      found.reverse().map((one) => requestJson(call, one)),
      call,
    );
  }),
  route('POST', `${PROJECT}/merge_requests`, open),
  route('GET', REQUEST, (call) => ok(single(call, requestOf(call)))),
  route('PUT', REQUEST, edit),
  route('PUT', `${REQUEST}/merge`, merge),
  route('POST', `${REQUEST}/cancel_merge_when_pipeline_succeeds`, (call) => {
    delete requestOf(call).autoMerge;
    return { status: 201, body: single(call, requestOf(call)) };
  }),
  route('GET', `${REQUEST}/reviewers`, (call) =>
    paged(
      requestOf(call).reviewers.map((login) => ({
        user: person(call.world, login),
        state: requestOf(call).reviews.some((one) => one.login === login) ? 'requested_changes' : 'unreviewed',
      })),
      call,
    ),
  ),
  route('GET', `${REQUEST}/discussions`, (call) => paged(discussions(call), call)),
  route('GET', `${REQUEST}/notes`, (call) => {
    const all = (discussions(call) as { notes: unknown[] }[]).flatMap(({ notes }) => notes);
    return paged(call.query.get('sort') === 'asc' ? all : all.reverse(), call);
  }),
  route('POST', `${REQUEST}/notes`, (call) => {
    mayTalk(call);
    return { status: 201, body: noteJson(call, call.world.comment(talkOf(call), call.login, String(call.body.body))) };
  }),
  route('POST', `${REQUEST}/discussions/([^/]+)/notes`, (call) => {
    mayTalk(call);
    const said = { id: GIVEN + call.world.nextId(), login: call.login, body: String(call.body.body) };
    const { id, login, body } = sayOnLine(projectOf(call), requestOf(call).number, { ...said, replyTo: firstOf(call) });
    return { status: 201, body: { id, body, system: false, author: person(call.world, login) } };
  }),
  route('PUT', `${REQUEST}/discussions/([^/]+)`, (call) => {
    mayTalk(call);
    if (projectOf(call).resolves === false) throw new Refusal(403, '403 Forbidden');
    const { resolved } = requestOf(call);
    if (call.body.resolved === true && !resolved.includes(firstOf(call))) resolved.push(firstOf(call));
    return ok({ id: call.args[2], individual_note: false, notes: [] });
  }),
  route('GET', '/api/v4/users', ({ world, query }) => {
    const login = query.get('username') ?? '';
    const known = [...world.repos.values()].some(({ members }) => members.has(login));
    return ok(known ? [person(world, login)] : []);
  }),
  route('GET', `${PROJECT}/members/all/(\\d+)`, (call) => {
    const repo = projectOf(call);
    const login = [...repo.members.keys()].find((one) => person(call.world, one).id === Number(call.args[1]));
    if (login === undefined) throw new Refusal(404, '404 Not found');
    return ok({ ...person(call.world, login), access_level: mayWrite(repo, login) ? 40 : 20 });
  }),
  route('GET', `${PROJECT}/repository/branches/([^/]+)`, (call) => {
    const repo = projectOf(call);
    const name = decodeURIComponent(call.args[1] ?? '');
    try {
      const id = tipOf(behindOf(repo).bare, name);
      return ok({ name, commit: { id }, protected: repo.protected === true, can_push: repo.pushes !== false });
    } catch {
      throw new Refusal(404, '404 Branch Not Found');
    }
  }),
  route('GET', `${PROJECT}/protected_branches`, (call) => paged(protectedNames(projectOf(call)), call)),
  route('GET', `${PROJECT}/repository/commits/([0-9a-f]+)`, (call) => {
    const [id = '', ...parents] = git(behindOf(projectOf(call)).bare, 'rev-list', '--parents', '-1', call.args[1] ?? '')
      .split(' ')
      .filter(Boolean);
    return ok({ id, parent_ids: parents });
  }),
  route('GET', `${PROJECT}/repository/commits/([0-9a-f]+)/statuses`, (call) => paged([], call)),
  route('GET', `${PROJECT}/pipelines/(\\d+)/bridges`, (call) => paged([], call)),
  route('GET', `${PROJECT}/pipelines/(\\d+)/jobs`, (call) => {
    const red = call.query.getAll('scope[]').includes('failed');
    const jobs = checksOf(call).filter((one) => !red || isRed(one));
    return paged(
      jobs.map(({ id, name, completed_at }) => ({
        ...{ id, name, status: 'failed', allow_failure: false, web_url: `https://gitlab.localhost/jobs/${id}` },
        ...(completed_at === undefined ? {} : { finished_at: completed_at }),
      })),
      call,
    );
  }),
  route('GET', `${PROJECT}/jobs/(\\d+)/trace`, (call) => {
    const all = [...behindOf(projectOf(call)).checks.values()].flat();
    const found = all.find(({ id }) => id === Number(call.args[1]));
    if (!found || found.log === null) throw new Refusal(404, '404 Not found');
    return { status: 200, text: found.log };
  }),
];
