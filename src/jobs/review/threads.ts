/**
 * Resolves threads of a pull request, which GitHub's REST API cannot.
 * Invariant: what is resolved already stays as it is.
 */
import { ForgeError } from './forge.js';
import type { Gh } from './gh.js';

const THREADS = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved comments(first: 1) { nodes { url } } }
      }
    }
  }
}`;
const RESOLVE = `mutation($id: ID!) {
  resolveReviewThread(input: {threadId: $id}) { thread { id isResolved } }
}`;
const MOST_PAGES = 50;

interface ThreadNode {
  id: string;
  isResolved: boolean;
  comments: { nodes: { url: string }[] };
}
interface Threads {
  repository: {
    pullRequest: {
      reviewThreads: { pageInfo: { hasNextPage: boolean; endCursor: string | null }; nodes: ThreadNode[] };
    } | null;
  } | null;
}

/** `urls`: of the first comment of each. Both interfaces name a comment by its page; their numbers differ in size. */
export async function resolveThreads(gh: Gh, number: number, urls: ReadonlySet<string>): Promise<void> {
  const found = await threadsOf(gh, number);
  let refused: ForgeError | undefined;
  for (const { id, isResolved, comments } of found) {
    if (isResolved || !urls.has(comments.nodes[0]?.url ?? '')) continue;
    try {
      await gh.graphql(RESOLVE, { id });
    } catch (error) {
      if (!(error instanceof ForgeError) || error.later) throw error;
      refused = error;
    }
  }
  if (refused) throw refused;
}

async function threadsOf({ repo, graphql }: Gh, number: number): Promise<ThreadNode[]> {
  const all: ThreadNode[] = [];
  let after: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer: Threads = await graphql<Threads>(THREADS, { owner: repo.owner, name: repo.name, number, after });
    const threads = answer.repository?.pullRequest?.reviewThreads;
    all.push(...(threads?.nodes ?? []));
    if (!threads?.pageInfo.hasNextPage) break;
    after = threads.pageInfo.endCursor;
  }
  return all;
}
