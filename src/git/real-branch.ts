/** The branch behind a name that may be a symbolic ref: worktrees, reflogs and locks are of the branch. Reads only. */
import { join } from 'node:path';
import { RepositoryError } from './errors.js';
import { textAt } from './regular.js';
import { sharedGitDir } from './repository.js';

/** As git, which follows no longer chain. */
const MOST_HOPS = 5;

/** @throws RepositoryError where it leads to no branch */
export async function realBranch(repo: string, branch: string): Promise<string> {
  const common = await sharedGitDir(repo);
  let ref = `refs/heads/${branch}`;
  for (let hop = 0; hop < MOST_HOPS; hop++) {
    const text = (await textAt(join(common, ref))) ?? '';
    const next = /^ref:\s*(\S+)/.exec(text)?.[1];
    if (next === undefined) break;
    ref = next;
  }
  if (ref.startsWith('refs/heads/')) return ref.slice('refs/heads/'.length);
  throw new RepositoryError(
    `${branch} is a symbolic ref to ${ref}, which is no branch.`,
    'Set the target to a branch: --target, or target: in ralphctl.yaml.',
  );
}
