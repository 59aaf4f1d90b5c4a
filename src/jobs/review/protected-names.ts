/** Names of protected branches on GitLab. They may have wildcards, and so hold for branches that do not exist yet. */
import type { ForgeFinding } from './forge.js';
import type { Person } from './gitlab-json.js';
import type { Glab } from './glab.js';

interface Level {
  access_level: number | null;
  user_id?: number | null;
  group_id?: number | null;
  deploy_key_id?: number | null;
}

interface ProtectedJson {
  name: string;
  push_access_levels?: Level[];
  allow_force_push?: boolean;
}

/** A star is any text, with slashes. */
function matches(name: string, branch: string): boolean {
  const [first = '', ...parts] = name.split('*');
  if (parts.length === 0) return name === branch;
  if (!branch.startsWith(first)) return false;
  const last = parts.pop() ?? '';
  let from = first.length;
  for (const part of parts) {
    const at = branch.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return branch.length - last.length >= from && branch.endsWith(last);
}

/** `own`: ralphctl makes branches such as this one, and overwrites them. */
export async function againstProtected(glab: Glab, branch: string, own: boolean): Promise<ForgeFinding | undefined> {
  const { path } = glab.place;
  const all = await glab.list<ProtectedJson>('protected_branches');
  const found = all.filter(({ name }) => matches(name, branch));
  if (found.length === 0) return undefined;
  const me = await glab.get<Person & { is_admin?: boolean }>('/user');
  const member = await glab.get<{ access_level: number }>(`members/all/${me?.id}`);
  const mine = me?.is_admin === true ? 60 : (member?.access_level ?? 0);
  // Of several rules the most permissive one counts.
  const levels = found.flatMap(({ push_access_levels = [] }) => push_access_levels);
  const allowed = levels.some((level) =>
    isForOthers(level) ? level.user_id === me?.id : level.access_level !== 0 && (level.access_level ?? 0) <= mine,
  );
  const names = found.map(({ name }) => name).join(', ');
  const what = own
    ? `branches such as ${branch} of ${path} are protected (${names})`
    : `${branch} of ${path} is protected (${names})`;
  const it = own ? 'them' : 'it';
  const instead = own ? 'or set landing.mode' : 'or set landing.mode: pr';
  const warn = (why: string): ForgeFinding => ({
    state: 'warn',
    found: `${what}, and ${why}`,
    fix: `allow it in Settings, Repository, Protected branches; ${instead}`,
  });
  // Who is in a group, the rule does not say.
  if (!allowed && levels.some(({ group_id }) => typeof group_id === 'number'))
    return warn(`a push of ${it} can be refused`);
  if (!allowed) return warn(`this login may not push to ${it}`);
  if (own && !found.some(({ allow_force_push }) => allow_force_push === true))
    return warn('a branch is not overwritten');
  return undefined;
}

const isForOthers = ({ user_id, group_id, deploy_key_id }: Level): boolean =>
  [user_id, group_id, deploy_key_id].some((one) => typeof one === 'number');
