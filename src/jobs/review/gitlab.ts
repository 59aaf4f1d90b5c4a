/**
 * Merge requests of GitLab, through `glab api`.
 * Invariant: repeating a call changes nothing. A merge request of a fork is never taken for one of ralphctl.
 */
import { MEMBER_LEVEL } from '../../trackers/glab-variables.js';
import type { Place } from '../../trackers/place.js';
import { againstPushOnGitLab } from './against-push.js';
import type { ApiPlace } from './api.js';
import { checkGitLab } from './check-gitlab.js';
import { type Forge, ForgeError, type Thread } from './forge.js';
import { redJobs } from './gitlab-checks.js';
import {
  asListed,
  asRemarks,
  asSeen,
  type DiscussionJson,
  isOfProject,
  type MergeRequestJson,
  type Person,
  timesAsked,
  titleOf,
  withoutCommands,
} from './gitlab-json.js';
import { askMerge, mergeAtOpening } from './gitlab-merge.js';
import { type Glab, glabOf } from './glab.js';
import { keyOf, type Remark, timeOf } from './said.js';

const requestPath = (number: number): string => `merge_requests/${number}`;

export function gitLab(at: ApiPlace, place: Place): Forge {
  const glab = glabOf(at, place);
  const levels = new Map<number, Promise<number>>();
  let changesAsked = false;
  const read = async (number: number): Promise<MergeRequestJson | null> => {
    const request = await glab.get<MergeRequestJson>(requestPath(number));
    changesAsked = request?.detailed_merge_status === 'requested_changes';
    return request;
  };
  const page = (number: number): string => `https://${place.host}/${place.path}/-/${requestPath(number)}`;
  return {
    words: { one: 'Merge request', sign: '!', login: `glab auth status --hostname ${place.host}` },
    me: async () => (await glab.get<Person>('/user'))?.username,
    listOf: async (branch) => {
      const asked = new URLSearchParams({ state: 'all', order_by: 'created_at', sort: 'desc' });
      asked.set('source_branch', branch);
      return (await glab.list<MergeRequestJson>(`merge_requests?${asked}`)).filter(isOfProject).map(asListed);
    },
    read: async (number) => {
      const request = await read(number);
      return request && asSeen(request);
    },
    closing: async (number) => {
      const request = await read(number);
      return { ...(request?.closed_by ? { by: request.closed_by.username } : {}), ...timeOf(request?.closed_at) };
    },
    asKept: withoutCommands,
    open: async ({ title, body, branch, base, draft }) =>
      asListed(
        await glab.send<MergeRequestJson>('POST', 'merge_requests', {
          ...{ source_branch: branch, target_branch: base, title: titleOf(title, draft) },
          description: withoutCommands(body),
        }),
      ),
    change: async (number, { base, body }) => {
      const text = body === undefined ? {} : { description: withoutCommands(body) };
      await glab.send('PUT', requestPath(number), { ...text, ...(base === undefined ? {} : { target_branch: base }) });
    },
    disarm: async ({ number, armed }) => {
      if (armed) await glab.send('POST', `${requestPath(number)}/cancel_merge_when_pipeline_succeeds`, {});
    },
    // GitLab leaves it open.
    closedWithBase: () => Promise.resolve(false),
    addLabels: async (number, labels) => {
      await glab.send('PUT', requestPath(number), { add_labels: labels.join(',') });
    },
    // Who has given a review stays among those who are asked.
    reviewed: () => Promise.resolve([]),
    askReviewers: (number, logins) => askReviewers(glab, number, logins),
    redChecks: (pull, known) => redJobs(glab, pull, known),
    remarks: async (number, kinds) => {
      const talk = await glab.list<DiscussionJson>(`${requestPath(number)}/discussions`);
      const all = asRemarks(talk, page(number));
      const reviews = changesAsked && kinds.includes('review') ? await changeRequests(glab, number, talk) : [];
      return [...reviews, ...all.filter(({ kind }) => kinds.includes(kind))];
    },
    trusts: async ({ authorId }) => {
      if (authorId === undefined) return false;
      const level = levels.get(authorId) ?? levelOf(glab, authorId);
      levels.set(authorId, level);
      return (await level) >= MEMBER_LEVEL;
    },
    reply: async (number, { id }, body) => {
      await glab.send('POST', `${requestPath(number)}/discussions/${id}/notes`, { body });
    },
    resolve: (number, threads) => resolveAll(glab, number, threads),
    comment: async (number, body) => {
      await glab.send('POST', `${requestPath(number)}/notes`, { body });
    },
    mergeWhenReady: ({ number }, head, how) => mergeAtOpening(glab, number, head, how),
    mergeLater: (number, head, how) => askMerge(glab, number, head, how),
    check: (target, remote, autoMerge) => checkGitLab(glab, target, remote, autoMerge),
    againstPush: (branch, how) => againstPushOnGitLab(glab, branch, how),
  };
}

async function levelOf(glab: Glab, id: number): Promise<number> {
  return (await glab.get<{ access_level: number }>(`members/all/${id}`))?.access_level ?? 0;
}

/** The list replaces the former one, so it has those who are asked already, too. */
async function askReviewers(glab: Glab, number: number, logins: readonly string[]): Promise<void> {
  const request = await glab.get<MergeRequestJson>(requestPath(number));
  const ids = (request?.reviewers ?? []).map(({ id }) => id);
  for (const login of logins) {
    const [person] = (await glab.get<Person[]>(`/users?username=${encodeURIComponent(login)}`)) ?? [];
    if (!person) throw new ForgeError(`there is no user ${login}`);
    if (!ids.includes(person.id)) ids.push(person.id);
  }
  await glab.send('PUT', requestPath(number), { reviewer_ids: ids });
}

interface ReviewerJson {
  user: Person;
  state: string;
}

/** Who asks for changes without a word. The words, if any, are notes. */
async function changeRequests(glab: Glab, number: number, talk: readonly DiscussionJson[]): Promise<Remark[]> {
  const asked = timesAsked(talk);
  const all = await glab.list<ReviewerJson>(`${requestPath(number)}/reviewers`);
  return all
    .filter(({ state }) => state === 'requested_changes')
    .map(({ user: { id, username } }) => ({
      ...{ kind: 'review', key: requestKey(id, asked.get(id)), body: '', asks: true, author: username, authorId: id },
    }));
}

/** The state stays the same when somebody asks once more. Versions that heard each reviewer once noted the first key. */
const requestKey = (reviewer: number, times = 1): string =>
  keyOf('review', times > 1 ? `${reviewer} ${times}` : reviewer);

/** One that is refused stops no other. */
async function resolveAll(glab: Glab, number: number, threads: readonly Thread[]): Promise<void> {
  let refused: ForgeError | undefined;
  for (const { id } of threads)
    try {
      await glab.send('PUT', `${requestPath(number)}/discussions/${id}`, { resolved: true });
    } catch (error) {
      if (!(error instanceof ForgeError) || error.later) throw error;
      refused = error;
    }
  if (refused) throw refused;
}
