/**
 * Rules of a forge that can refuse a push. A dry run does not meet them: the forge applies them to a real push only.
 * Who is exempt from a rule, the forge tells nobody, and git may have another login than `gh` or `glab`: so all of this
 * is a warning. Changes nothing.
 */
import type { ForgeFinding, Pushes } from './forge.js';
import type { Gh } from './gh.js';
import type { Glab } from './glab.js';
import { againstProtected } from './protected-names.js';

/** Rules of GitHub, in words. Others have their own name. */
const WORDS: Record<string, string> = {
  pull_request: 'changes come by pull requests',
  merge_queue: 'changes come by the merge queue',
  required_status_checks: 'a commit needs green checks before it comes',
  required_signatures: 'commits need a signature',
  required_linear_history: 'there are no merge commits',
  update: 'nobody may push',
  creation: 'nobody may make such a branch',
  non_fast_forward: 'a branch is not overwritten',
};

export async function againstPushOnGitHub(
  gh: Gh,
  branch: string,
  { own, merges }: Pushes,
): Promise<ForgeFinding | undefined> {
  const name = encodeURIComponent(branch);
  const place = `${gh.repo.owner}/${gh.repo.name}`;
  const harmless = new Set([
    'deletion',
    ...(own ? [] : ['non_fast_forward', 'creation']),
    ...(merges ? [] : ['required_linear_history']),
  ]);
  // An older server does not have them.
  const rules = (await gh.get<{ type: string }[]>(`rules/branches/${name}`)) ?? [];
  const against = [...new Set(rules.map(({ type }) => type))].filter((type) => !harmless.has(type));
  const fix = 'try a push, and exempt this login from the rules if it is refused; or set landing.mode';
  if (against.length > 0) {
    const said = against.map((type) => WORDS[type] ?? `rule ${type}`).join('; ');
    const what = own ? `branches such as ${branch}` : branch;
    return { state: 'warn', found: `rules of ${place} can refuse a push of ${what}: ${said}`, fix };
  }
  if (own || rules.length > 0) return undefined;
  const there = await gh.get<{ protected?: boolean }>(`branches/${name}`);
  if (!there?.protected) return undefined;
  return { state: 'warn', found: `${branch} of ${place} is protected, so a push of it can be refused`, fix };
}

/** GitLab tells of a branch that is there whether this login may push to it. Branches of ideas come later. */
export async function againstPushOnGitLab(
  glab: Glab,
  branch: string,
  { own }: Pushes,
): Promise<ForgeFinding | undefined> {
  const { path } = glab.place;
  if (own) return againstProtected(glab, branch, own);
  const there = await glab.get<{ protected?: boolean; can_push?: boolean }>(
    `repository/branches/${encodeURIComponent(branch)}`,
  );
  if (!there) return againstProtected(glab, branch, own);
  if (!there.protected || there.can_push === true) return undefined;
  const who = there.can_push === false ? 'this login may not push to it' : 'a push of it can be refused';
  return {
    state: 'warn',
    found: `${branch} of ${path} is protected, and ${who}`,
    fix: 'allow it in Settings, Repository, Protected branches; or set landing.mode: pr',
  };
}
