/** Which commits a commit holds. Reads only. */
import { git } from './runner.js';

/** Whether `tip` is the commit, or comes after it. @throws GitError where the repository does not have both */
export async function isAncestor(dir: string, commit: string, tip: string): Promise<boolean> {
  const asked = ['merge-base', '--is-ancestor', commit, tip];
  return (await git(dir).result(asked, { ok: [0, 1], read: true })).code === 0;
}
