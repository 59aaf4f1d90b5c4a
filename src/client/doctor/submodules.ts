/** Checks whether worktrees get the target's submodules from the checkout or must fetch them. */
import { sharedGitDir } from '../../git/repository.js';
import { hasCommit, ownCopy, readSubmodules } from '../../git/worktrees/submodules.js';
import { type Check, ok, warn } from './check.js';

/** None where the target has no submodules. */
export async function checkSubmodules(root: string, target: string): Promise<Check[]> {
  const all = (await readSubmodules(root, `refs/heads/${target}`)).filter(({ off }) => !off);
  if (all.length === 0) return [];
  const commonDir = await sharedGitDir(root);
  const missing: string[] = [];
  for (const { name, path, commit } of all)
    if (!(await hasCommit(ownCopy(commonDir, name), commit))) missing.push(path);
  if (missing.length === 0) {
    const paths = all.map(({ path }) => path).join(', ');
    return [ok('submodules', `${paths}: set up in each worktree from your checkout`)];
  }
  const found = `${missing.join(', ')}: your checkout lacks the commit that ${target} names, so each worktree fetches it from its origin`;
  return [warn('submodules', found, `git submodule update --init ${missing.map((path) => `'${path}'`).join(' ')}`)];
}
