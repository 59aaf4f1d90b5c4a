/**
 * Where the landings of a target are: on it, or on another branch after somebody renamed or deleted it.
 * Invariant: reads only. Branches of ideas hold landings of others, and count for nothing here.
 */
import { readMoves } from '../confinement/outside.js';
import { claimRef, readTips } from '../refs.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';

export interface Where {
  /** Has the landings: the target itself while it exists. Undefined: no branch has them. */
  branch?: string;
  /** Git has recorded that this branch is the target under another name. */
  renamed?: true;
  /** The newest landing, where the target does not exist: it can begin there again. */
  newest?: string;
}

/** `landed`: the commits of ideas that landed, as far as they are known. */
export async function whereLanded(
  repo: string,
  target: string,
  landed: ReadonlyMap<string, string | undefined>,
): Promise<Where> {
  const name = `refs/heads/${target}`;
  const tips = await readTips(repo, [name, ...[...landed.keys()].map(claimRef)]);
  if (tips.has(name)) return { branch: target };
  const commits = [...landed].flatMap(([idea, commit]) => commit ?? tips.get(claimRef(idea)) ?? []);
  const newest = await asAmended(repo, await newestOf(repo, commits));
  const found = await holders(repo, newest);
  for (const branch of found)
    if (await wasNamed(repo, branch, target))
      return { branch, renamed: true, ...(newest === undefined ? {} : { newest }) };
  // Somebody may have rewritten the newest landing before.
  for (const branch of newest === undefined ? [] : await holders(repo, undefined))
    if (await wasNamed(repo, branch, target)) return { branch, renamed: true };
  // Nothing has landed that a branch could have.
  if (newest === undefined) return {};
  const [branch] = found;
  return branch === undefined ? { newest } : { branch, newest };
}

/** The name of a branch since somebody renamed it, as git has recorded it. Undefined: it was deleted, or never there. */
export async function nameNow(repo: string, target: string): Promise<string | undefined> {
  for (const branch of await holders(repo, undefined)) if (await wasNamed(repo, branch, target)) return branch;
  return undefined;
}

/** The newest of these commits that is there, which a lost branch can begin at again. */
export async function newestOf(repo: string, commits: readonly string[]): Promise<string | undefined> {
  const known = commits.filter((one) => /^[0-9a-f]{7,64}$/.test(one));
  if (known.length === 0) return undefined;
  const args = ['rev-list', '--topo-order', '--max-count=1', '--ignore-missing', ...known, '--'];
  const { stdout, code } = await git(repo).result(args, { ok: [0, 128], read: true });
  return code === 0 ? stdout.trim() || undefined : undefined;
}

/** What a person made of a commit by amending it: a branch that begins at the commit itself would drop the amend. */
async function asAmended(repo: string, commit: string | undefined): Promise<string | undefined> {
  if (commit === undefined) return undefined;
  const moves = await readMoves(await sharedGitDir(repo), 'HEAD').catch(() => []);
  let last = commit;
  for (const { from, to, text } of moves) if (from === last && text.startsWith('commit (amend)')) last = to;
  return last === commit ? commit : ((await newestOf(repo, [last])) ?? commit);
}

const MOST_HOLDERS = 10;

/** Branches with the commit, or any: the one that is checked out, then those with the newest commits. */
async function holders(repo: string, commit: string | undefined): Promise<string[]> {
  const format = '--format=%(HEAD)%(refname)';
  const having = commit === undefined ? [] : [`--contains=${commit}`];
  const args = ['for-each-ref', '--sort=-committerdate', format, ...having, 'refs/heads/'];
  const lines = (await git(repo).run(args, { read: true })).split('\n');
  return lines
    .filter((line) => line !== '' && !line.slice(1).startsWith('refs/heads/ralph/'))
    .sort((a, b) => Number(b.startsWith('*')) - Number(a.startsWith('*')))
    .slice(0, MOST_HOLDERS)
    .map((line) => line.slice(1).replace('refs/heads/', ''));
}

/** `git branch -m` writes it into the reflog, which moves with the branch. */
async function wasNamed(repo: string, branch: string, before: string): Promise<boolean> {
  const args = ['log', '--walk-reflogs', '--format=%gs', `refs/heads/${branch}`, '--'];
  const { stdout } = await git(repo).result(args, { ok: [0, 128], read: true });
  return stdout.split('\n').includes(`Branch: renamed refs/heads/${before} to refs/heads/${branch}`);
}
