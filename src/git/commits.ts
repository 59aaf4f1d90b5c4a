/** Reads whole commits and rewrites them with their author. Invariant: works on the object database only. */

import { PINNED_LOG } from './landing/first-parents.js';
import { type Git, git } from './runner.js';

export interface Commit {
  sha: string;
  tree: string;
  parents: string[];
  /** `date` is git's raw form: epoch seconds and zone. */
  author: { name: string; email: string; date: string };
  message: string;
}
export type NewCommit = Omit<Commit, 'sha'>;

/** Commits of a range (`a..b`, also `^c`), parents before children; one process. */
export async function readCommits(dir: string, ...range: readonly string[]): Promise<Commit[]> {
  const format = '%H%x01%T%x01%P%x01%an%x01%ae%x01%ad%x01%B';
  const got = await git(dir).result(
    ['log', '--topo-order', '--reverse', '--date=raw', '-z', `--format=${format}`, ...range, '--'],
    { read: true, config: PINNED_LOG },
  );
  return got.stdout.split('\0').filter(Boolean).map(parse);
}

function parse(record: string): Commit {
  const [sha = '', tree = '', parents = '', name = '', email = '', date = '', ...rest] = record.split('\x01');
  return {
    sha,
    tree,
    parents: parents.split(' ').filter(Boolean),
    author: { name: name || 'unknown', email, date },
    message: rest.join('\x01'),
  };
}

export interface WriteOptions {
  /** Completes the committer's identity. */
  who: Readonly<Record<string, string>>;
  sign?: boolean;
}

/** Writes a commit object and returns its id. One process. */
export function writeCommit(repo: Git, commit: NewCommit, opts: WriteOptions): Promise<string> {
  const { name, email, date } = commit.author;
  return repo.run(
    ['commit-tree', commit.tree, ...(opts.sign ? ['-S'] : []), ...commit.parents.flatMap((id) => ['-p', id])],
    {
      env: { ...opts.who, GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` },
      input: commit.message,
      config: ['i18n.commitEncoding=UTF-8'],
    },
  );
}

/*
 * The identity on a commit. The user's configuration wins; ralphctl fills in missing parts, so that an unattended
 * commit never fails on "please tell me who you are".
 */

const FALLBACK = { name: 'ralphctl', email: 'ralphctl@localhost' };
const KEEP_MS = 60_000;
const known = new Map<string, { at: number; env: Promise<Record<string, string>> }>();

/** Environment that completes the identity configured for `dir`; empty when it is complete. Cached for a minute. */
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

/** Author of a commit that ralphctl makes for a slot, as of now. */
export const slotAuthor = (agentName: string): { name: string; email: string; date: string } => ({
  name: agentName,
  email: `${agentName}@ralphctl.localhost`,
  date: `${Math.floor(Date.now() / 1000)} +0000`,
});
