/** What `doctor` says of a project of GitLab. Changes nothing. */
import { headText, renamedText } from '../../git/delivery/look.js';
import { MEMBER_LEVEL } from '../../trackers/glab-variables.js';
import type { ForgeFinding, MergeHow } from './forge.js';
import type { Person } from './gitlab-json.js';
import type { Glab } from './glab.js';

interface ProjectJson {
  default_branch?: string;
  archived?: boolean;
  merge_requests_enabled?: boolean;
  merge_requests_access_level?: string;
  only_allow_merge_if_pipeline_succeeds?: boolean;
  merge_method?: 'merge' | 'rebase_merge' | 'ff';
  squash_option?: 'never' | 'always' | 'default_on' | 'default_off';
}

/** `remote`: its name, for the commands that fix something. */
export async function checkGitLab(
  glab: Glab,
  target: string,
  remote: string,
  autoMerge: MergeHow | 'off',
): Promise<ForgeFinding> {
  const fail = (found: string, fix: string): ForgeFinding => ({ state: 'fail', found, fix });
  const warn = (found: string, fix: string): ForgeFinding => ({ state: 'warn', found, fix });
  const { host, path } = glab.place;
  const me = await glab.get<Person & { is_admin?: boolean }>('/user');
  const project = await glab.get<ProjectJson>('');
  const login = `glab auth login --hostname ${host}`;
  if (!project) return fail(`${path} is not there for this login`, 'glab auth status, or set landing.pr.repo');
  const member = await glab.get<{ access_level: number }>(`members/all/${me?.id}`);
  if ((member?.access_level ?? 0) < MEMBER_LEVEL && me?.is_admin !== true)
    return fail(`${me?.username ?? 'this login'} may not push to ${path}: it needs the role Developer`, login);
  if (project.archived) return fail(`${path} is archived`, 'unarchive it, or set landing.pr.repo');
  if (project.merge_requests_enabled === false || project.merge_requests_access_level === 'disabled')
    return fail(`${path} has no merge requests`, 'turn them on in its settings, or set landing.pr.repo');
  const branch = await glab.get<{ protected?: boolean }>(`repository/branches/${encodeURIComponent(target)}`);
  const { default_branch: head } = project;
  if (!branch)
    return fail(
      `${path} has no branch ${target}${headText(head)}`,
      `${renamedText(remote, target, head)}. To make it there: git push ${remote} ${target}`,
    );
  const off = 'or set landing.pr.autoMerge: off';
  const { merge_method: method = 'merge', squash_option: squash } = project;
  if (autoMerge === 'squash' && squash === 'never')
    return fail(`${path} allows no squash`, `allow it in the settings of the project, ${off}`);
  if (autoMerge === 'rebase' && method === 'merge')
    return fail(
      `${path} merges with merge commits, and GitLab has no other way for one merge request`,
      `set the merge method of the project to fast-forward, or landing.pr.autoMerge: merge, ${off}`,
    );
  if (autoMerge !== 'off' && !project.only_allow_merge_if_pipeline_succeeds)
    return warn(
      `${path} merges without a green pipeline, so landing.pr.autoMerge does too where none runs`,
      `turn "Pipelines must succeed" on in the settings of the project, ${off}`,
    );
  const rules = branch.protected ? 'protected: its rules decide about merges' : 'not protected';
  return { state: 'ok', found: `${path} on ${host}, onto ${target} (${rules})`, fix: '' };
}
