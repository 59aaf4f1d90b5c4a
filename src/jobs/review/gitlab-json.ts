/** Merge requests as GitLab's REST API has them, and what they mean here. Pure. */
import type { Listed, Pipeline, Seen } from './forge.js';
import { keyOf, type Remark, timeOf } from './said.js';

export interface Person {
  id: number;
  username: string;
}

export interface MergeRequestJson {
  iid: number;
  project_id: number;
  source_project_id: number | null;
  web_url: string;
  description: string | null;
  target_branch: string;
  /** `locked` while it is being merged. */
  state: 'opened' | 'closed' | 'locked' | 'merged';
  sha: string | null;
  draft?: boolean;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  merge_user?: Person | null;
  closed_by?: Person | null;
  closed_at?: string | null;
  labels: string[];
  reviewers?: Person[];
  merge_when_pipeline_succeeds?: boolean;
  has_conflicts?: boolean;
  /** Since GitLab 15.6. */
  detailed_merge_status?: string;
  updated_at: string;
  /** Of one merge request only; lists do not have it. */
  head_pipeline?: PipelineJson | null;
}

export interface PipelineJson {
  id: number;
  sha: string;
  status: string;
  web_url?: string;
  yaml_errors?: string | null;
}

export interface DiscussionJson {
  id: string;
  individual_note: boolean;
  notes: NoteJson[];
}

interface NoteJson {
  id: number;
  body: string;
  author: Person | null;
  system: boolean;
  created_at?: string;
  resolved?: boolean;
  position?: { new_path?: string | null; old_path?: string | null; new_line?: number | null; old_line?: number | null };
}

/** GitLab has not finished looking at it. */
export const UNSETTLED = new Set(['unchecked', 'checking', 'preparing', 'approvals_syncing']);

export const asListed = (json: MergeRequestJson): Listed => ({
  ...{ number: json.iid, url: json.web_url, head: json.sha ?? '', state: stateOf(json) },
  ...{ base: json.target_branch, body: json.description ?? '' },
  ...{ labels: json.labels, reviewers: (json.reviewers ?? []).map(({ username }) => username) },
  armed: json.merge_when_pipeline_succeeds === true,
});

const stateOf = ({ state }: MergeRequestJson): Seen['state'] =>
  state === 'opened' || state === 'locked' ? 'open' : state;

/** A branch of a fork may have the same name. */
export const isOfProject = ({ project_id, source_project_id }: MergeRequestJson): boolean =>
  source_project_id === project_id;

export function asSeen(json: MergeRequestJson): Seen {
  const head = json.sha ?? '';
  const pipeline = asPipeline(json.head_pipeline);
  const { base, armed } = asListed(json);
  const seen = { number: json.iid, head, base, state: stateOf(json), apart: isApart(json), armed };
  const merged = json.state === 'merged' ? { commit: json.merge_commit_sha ?? json.squash_commit_sha ?? head } : {};
  const by = json.state === 'merged' && json.merge_user ? { by: json.merge_user.username } : {};
  return { ...seen, ...merged, ...by, ...(pipeline ? { pipeline } : {}) };
}

const asPipeline = (json: PipelineJson | null | undefined): Pipeline | undefined =>
  json
    ? { id: json.id, sha: json.sha, status: json.status, ...(json.web_url ? { url: json.web_url } : {}) }
    : undefined;

/** A project that merges by fast-forward only needs another base also without a conflict. */
function isApart({ state, has_conflicts, detailed_merge_status: status = '' }: MergeRequestJson): boolean {
  if (state !== 'opened' || UNSETTLED.has(status)) return false;
  return has_conflicts === true || status === 'conflict' || status === 'need_rebase';
}

/** Notes that GitLab itself writes about events are left out. */
export const asRemarks = (all: readonly DiscussionJson[], page: string): Remark[] =>
  all.flatMap(({ id: thread, individual_note: alone, notes }) =>
    notes
      .filter(({ system }) => !system)
      .map((note): Remark => {
        const { position: at } = note;
        const [path, line] = [at?.new_path ?? at?.old_path, at?.new_line ?? at?.old_line];
        const kind = alone ? 'comment' : 'line';
        return {
          ...{ kind, key: keyOf(kind, note.id), body: note.body, url: `${page}#note_${note.id}` },
          // Whoever resolves a thread before its agent had it asks for nothing any more.
          asks: note.resolved !== true,
          ...(note.author ? { author: note.author.username, authorId: note.author.id } : {}),
          ...timeOf(note.created_at),
          ...(path ? { path } : {}),
          ...(line ? { line } : {}),
          ...(alone ? {} : { thread }),
        };
      }),
  );

const LOOKS_LIKE_A_DRAFT = /^\s*(?:draft:|\[draft\]|\(draft\)|draft\s-)/i;

/** GitLab tells drafts by the beginning of their title. */
export const titleOf = (title: string, draft: boolean): string =>
  draft ? `Draft: ${title}` : LOOKS_LIKE_A_DRAFT.test(title) ? `Idea: ${title}` : title;

/** A line such as `/merge` in a text is a command to GitLab. A backslash shows it as it stands. */
export const withoutCommands = (text: string): string => text.replace(/^([ \t]*)\/(?=[a-z_]+(?:\s|$))/gim, '$1\\/');

/** How often each person has asked for changes: GitLab notes every time. */
export function timesAsked(all: readonly DiscussionJson[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { system, body, author } of all.flatMap(({ notes }) => notes))
    if (system && author && /^requested changes\b/i.test(body)) found.set(author.id, (found.get(author.id) ?? 0) + 1);
  return found;
}
