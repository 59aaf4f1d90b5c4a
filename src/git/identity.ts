/**
 * Whose name goes on a commit. The user's configured identity wins; what is missing is filled in, so that an
 * unattended commit never fails on "please tell me who you are".
 */
import { git } from './git.js';

const FALLBACK = { name: 'ralphctl', email: 'ralphctl@localhost' };
const KEEP_MS = 60_000;
const known = new Map<string, { at: number; env: Promise<Record<string, string>> }>();

/** Environment that completes the identity configured for `dir`; empty when nothing is missing. Cached for a minute. */
export function identityEnv(dir: string, fallback = FALLBACK): Promise<Record<string, string>> {
  const key = `${dir}\0${fallback.name}\0${fallback.email}`;
  const seen = known.get(key);
  if (seen && performance.now() - seen.at < KEEP_MS) return seen.env;
  const env = read(dir, fallback);
  if (known.size > 500) known.clear();
  known.set(key, { at: performance.now(), env });
  env.catch(() => known.delete(key));
  return env;
}

async function read(dir: string, fallback: typeof FALLBACK): Promise<Record<string, string>> {
  const args = ['config', '--name-only', '--get-regexp', '^(user|author|committer)\\.(name|email)$'];
  const set = new Set((await git(dir).run(args, { ok: [0, 1], read: true })).split('\n'));
  const env: Record<string, string> = {};
  for (const role of ['author', 'committer'] as const)
    for (const part of ['name', 'email'] as const)
      if (!set.has(`user.${part}`) && !set.has(`${role}.${part}`))
        env[`GIT_${role.toUpperCase()}_${part.toUpperCase()}`] = fallback[part];
  return env;
}

/** Who wrote a commit that ralphctl makes for a slot, as of now. */
export const slotAuthor = (agentName: string): { name: string; email: string; date: string } => ({
  name: agentName,
  email: `${agentName}@ralphctl.localhost`,
  date: `${Math.floor(Date.now() / 1000)} +0000`,
});
