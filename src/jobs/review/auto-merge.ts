/**
 * Asks GitHub to merge a pull request once its checks and reviews allow it (`landing.pr.autoMerge`).
 * Invariant: only the pushed commit is merged. Repeating it changes nothing.
 */
import { RepositoryError } from '../../git/errors.js';
import { ForgeError, type Listed, type MergeHow } from './forge.js';
import type { Gh } from './gh.js';

const ENABLE = `mutation($id: ID!, $how: PullRequestMergeMethod!, $head: GitObjectID!) {
  enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: $how, expectedHeadOid: $head}) { clientMutationId }
}`;
const DISABLE = `mutation($id: ID!) {
  disablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId }
}`;
/** GitHub's words where nothing is left to wait for. */
const READY = /\b(?:clean|has_hooks) status/i;
/** Nothing that must be green is red, but something is, or still runs: GitHub waits for none of it. */
const UNSTABLE = /\bunstable status/i;

export async function mergeWhenReady(
  gh: Gh,
  { number, node: id, armed }: Pick<Listed, 'number' | 'node' | 'armed'>,
  head: string,
  how: MergeHow,
): Promise<void> {
  if (armed) return;
  try {
    await gh.graphql(ENABLE, { id, how: how.toUpperCase(), head });
  } catch (error) {
    if (!(error instanceof ForgeError) || error.later) throw error;
    if (READY.test(error.message)) await gh.send('PUT', `pulls/${number}/merge`, { merge_method: how, sha: head });
    // It stays open: whether that something counts is for a person to say.
    else if (!UNSTABLE.test(error.message))
      throw new RepositoryError(
        `Pull request ${number} is open, but its automatic merge cannot be asked for: ${error.message}.`,
        'Allow auto-merge in the settings of the repository, or set landing.pr.autoMerge: off; then: ralphctl config reload',
      );
  }
}

export const neverMerge = async (gh: Gh, { node: id, armed }: Pick<Listed, 'node' | 'armed'>): Promise<void> => {
  if (armed) await gh.graphql(DISABLE, { id });
};
