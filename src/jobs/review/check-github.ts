/** What `doctor` says of a repository of GitHub. Changes nothing. */
import { headText, renamedText } from '../../git/delivery/look.js';
import type { ForgeFinding, MergeHow } from './forge.js';
import type { Gh } from './gh.js';
import { mayNotRead } from './github-checks.js';

interface RepoJson {
  permissions?: { push?: boolean };
  allow_auto_merge?: boolean;
  default_branch?: string;
  archived?: boolean;
}

/** `remote`: its name, for the commands that fix something. */
export async function checkGitHub(
  gh: Gh,
  target: string,
  remote: string,
  autoMerge: MergeHow | 'off',
): Promise<ForgeFinding> {
  const fail = (found: string, fix: string): ForgeFinding => ({ state: 'fail', found, fix });
  const place = `${gh.repo.owner}/${gh.repo.name}`;
  const repo = await gh.get<RepoJson>('');
  if (!repo) return fail(`${place} is not there for this login`, 'gh auth status, or set landing.pr.repo');
  if (!repo.permissions?.push) return fail(`this login may not push to ${place}`, 'gh auth login');
  if (repo.archived) return fail(`${place} is archived`, 'unarchive it, or set landing.pr.repo');
  const branch = await gh.get<{ name?: string; protected?: boolean }>(`branches/${encodeURIComponent(target)}`);
  const head = repo.default_branch === target ? undefined : repo.default_branch;
  // GitHub leads from the old name of a branch to the new one.
  if (!branch || (branch.name !== undefined && branch.name !== target))
    return fail(
      `${place} has no branch ${target}${headText(branch?.name ?? head)}`,
      `${renamedText(remote, target, branch?.name ?? head)}. To make it there: git push ${remote} ${target}`,
    );
  // The forge shows this setting to those who may change it only.
  if (autoMerge !== 'off' && repo.allow_auto_merge === false)
    return fail(
      `${place} does not allow auto-merge`,
      'allow it in the settings of the repository, or set landing.pr.autoMerge: off',
    );
  if (autoMerge !== 'off' && !branch.protected)
    return {
      state: 'warn',
      found: `${target} of ${place} is not protected, so landing.pr.autoMerge merges without a check or review`,
      fix: 'protect it, or set landing.pr.autoMerge: off',
    };
  if (!(await readsStatuses(gh, target)))
    return {
      state: 'warn',
      found: `this login may not read the commit statuses of ${place}, so a red one (of Jenkins, for example) counts as none`,
      fix: 'give its token the permission "Commit statuses: read"',
    };
  const rules = branch.protected ? 'protected: its rules decide about merges' : 'not protected';
  return { state: 'ok', found: `${place}, onto ${target} (${rules})`, fix: '' };
}

async function readsStatuses(gh: Gh, target: string): Promise<boolean> {
  try {
    await gh.get(`commits/${encodeURIComponent(target)}/status`);
    return true;
  } catch (error) {
    if (mayNotRead(error)) return false;
    throw error;
  }
}
