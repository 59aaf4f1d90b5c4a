/**
 * Automatic merges on GitLab (`landing.pr.autoMerge`).
 * Invariant: only the pushed commit is merged. What a person has taken back is not asked for again with the same commit.
 */
import { RepositoryError } from '../../git/errors.js';
import { ForgeError, type MergeHow } from './forge.js';
import { type MergeRequestJson, UNSETTLED } from './gitlab-json.js';
import type { Glab } from './glab.js';

/** A pipeline that is still to come counts as none after that time without a change of the merge request. */
const QUIET_MS = 60_000;
/** Something is red, was stopped, or waits for a person. */
const HALTED = new Set(['failed', 'canceled', 'canceling', 'manual']);
/** What GitLab says while it is not ready, by its versions; 409: the branch has moved. */
const NOT_NOW = new Set([405, 406, 409, 422]);

/** arm: GitLab merges it once its pipeline and rules allow it. merge: now. */
export type MergeStep = 'wait' | 'arm' | 'merge';

/** `now`: the time of the forge. Pure. */
export function mergeStep(request: MergeRequestJson, head: string, now: number): MergeStep {
  const { state, sha, draft, head_pipeline: pipeline, detailed_merge_status: status, has_conflicts } = request;
  if (state !== 'opened' || sha !== head || draft || request.merge_when_pipeline_succeeds) return 'wait';
  // GitLab would merge at once while it does not know of the pipeline.
  if (status === undefined || UNSETTLED.has(status) || status === 'need_rebase' || has_conflicts) return 'wait';
  if (pipeline && HALTED.has(pipeline.status)) return 'wait';
  // GitLab knows whether the pipeline is the one of the commit: of a green one it merges at once.
  if ((pipeline && pipeline.status !== 'skipped') || status !== 'mergeable') return 'arm';
  return now - Date.parse(request.updated_at) >= QUIET_MS ? 'merge' : 'wait';
}

const path = (number: number): string => `merge_requests/${number}`;

/** What GitLab refuses for good is thrown; what it does not do yet is left for a later look. */
export async function askMerge(glab: Glab, number: number, head: string, how: MergeHow): Promise<void> {
  const request = await glab.get<MergeRequestJson>(path(number));
  const step = request ? mergeStep(request, head, glab.clock() ?? 0) : 'wait';
  if (step === 'wait' || (await askedBefore(glab, number, head))) return;
  // The second name is that of versions before 17.11.
  const later = step === 'arm' ? { auto_merge: true, merge_when_pipeline_succeeds: true } : {};
  try {
    await glab.send('PUT', `${path(number)}/merge`, { sha: head, squash: how === 'squash', ...later });
  } catch (error) {
    if (!(error instanceof ForgeError) || !NOT_NOW.has(error.status ?? 0)) throw error;
  }
}

/** At the opening, a refusal asks a person. */
export async function mergeAtOpening(glab: Glab, number: number, head: string, how: MergeHow): Promise<void> {
  try {
    await askMerge(glab, number, head, how);
  } catch (error) {
    if (!(error instanceof ForgeError) || error.later) throw error;
    throw new RepositoryError(
      `Merge request ${number} is open, but its automatic merge cannot be asked for: ${error.message}.`,
      'Allow this login to merge into the target, or set landing.pr.autoMerge: off; then: ralphctl config reload',
    );
  }
}

interface SystemNote {
  body: string;
  system: boolean;
}

/** GitLab notes who asked, with the commit, also where it was taken back. */
async function askedBefore(glab: Glab, number: number, head: string): Promise<boolean> {
  const notes = await glab.get<SystemNote[]>(`${path(number)}/notes?sort=desc&order_by=created_at&per_page=100`);
  return (notes ?? []).some(
    ({ system, body }) => system && /automatic(?:ally)? merge/i.test(body) && body.includes(head.slice(0, 8)),
  );
}
