/** The requests that GitHub takes in GraphQL only: automatic merges, and threads of comments. */
import { behindOf, type Pull, repoWithGit } from './pulls.js';
import { type Answer, type Call, mayWrite, ok, type Repo, type Route, route } from './world.js';

export const GRAPHQL_ROUTES: readonly Route[] = [
  route('POST', '/graphql', (call) => {
    const { query = '' } = call.body as { query?: string };
    if (query.includes('enablePullRequestAutoMerge(')) return autoMerge(call);
    if (query.includes('disablePullRequestAutoMerge(')) return disarm(call);
    if (query.includes('resolveReviewThread(')) return resolve(call);
    if (query.includes('reviewThreads(')) return threads(call);
    return ok({ errors: [{ message: 'Parse error' }] });
  }),
];

const unknown = (id: string): Answer =>
  ok({ data: null, errors: [{ message: `Could not resolve to a node with the global id of '${id}'` }] });

/** GitHub refuses it where nothing is left to wait for: then the pull request can be merged at once. */
function autoMerge({ world, body }: Call): Answer {
  const { id, how } = body.variables as { id: string; how: string };
  const repo = repoWithGit(world);
  const pull = repo && behindOf(repo).pulls.get(Number(id.slice('PR_'.length)));
  if (!repo || !pull) return unknown(id);
  if (repo.autoMerge === false)
    return ok({ data: null, errors: [{ message: 'Auto merge is not allowed for this repository' }] });
  if (!repo.protected)
    return ok({ data: null, errors: [{ message: `Pull request is in ${repo.mergeState ?? 'clean'} status` }] });
  pull.autoMerge = how.toLowerCase();
  return ok({ data: { enablePullRequestAutoMerge: { clientMutationId: null } } });
}

function disarm({ world, body }: Call): Answer {
  const { id } = body.variables as { id: string };
  const repo = repoWithGit(world);
  const pull = repo && behindOf(repo).pulls.get(Number(id.slice('PR_'.length)));
  if (!pull) return unknown(id);
  delete pull.autoMerge;
  return ok({ data: { disablePullRequestAutoMerge: { clientMutationId: null } } });
}

const firstsOf = ({ lines }: Pull) => lines.filter(({ replyTo }) => replyTo === undefined);
const pageOf = (repo: Repo, id: number): string =>
  `https://github.localhost/${repo.owner}/${repo.name}/pull#said-${id}`;

/** Pages of two, so that every test with more threads goes through several. */
function threads({ world, body }: Call): Answer {
  const { owner, name, number, after } = body.variables as Record<string, string> & { number: number };
  const repo = world.repos.get(`${owner}/${name}`);
  const pull = repo && behindOf(repo).pulls.get(number);
  if (!repo || !pull) return ok({ data: { repository: repo ? { pullRequest: null } : null } });
  const from = Number(after ?? 0);
  const all = firstsOf(pull);
  const nodes = all.slice(from, from + 2).map(({ id }) => ({
    ...{ id: `PRRT_${id}`, isResolved: pull.resolved.includes(id) },
    comments: { nodes: [{ url: pageOf(repo, id) }] },
  }));
  const pageInfo = { hasNextPage: from + 2 < all.length, endCursor: String(from + 2) };
  return ok({ data: { repository: { pullRequest: { reviewThreads: { pageInfo, nodes } } } } });
}

function resolve({ world, login, body }: Call): Answer {
  const { id } = body.variables as { id: string };
  const repo = repoWithGit(world);
  const first = Number(id.slice('PRRT_'.length));
  const pull =
    repo && [...behindOf(repo).pulls.values()].find((one) => firstsOf(one).some((line) => line.id === first));
  if (!repo || !pull) return unknown(id);
  if (!mayWrite(repo, login) || repo.resolves === false)
    return ok({ data: null, errors: [{ message: `${login} does not have the correct permissions to execute it` }] });
  pull.resolved.push(first);
  return ok({ data: { resolveReviewThread: { thread: { id, isResolved: true } } } });
}
