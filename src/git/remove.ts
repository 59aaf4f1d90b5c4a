/** Removing a worktree. Invariant: refused while it holds anything that is not saved elsewhere. */
import { RepositoryError } from './errors.js';
import { git } from './git.js';
import { refuseLocked } from './leftovers.js';
import { exclusive } from './locks.js';
import { unlinkPlace } from './places.js';
import { savePoint } from './saves.js';
import { isClean, readStatus } from './status.js';
import { canonical, exists, listWorktrees, privateGitDir } from './worktree-list.js';

/**
 * Removes the worktree at `path`; its branch stays. With `saveAs` (an idea id) its state becomes a save point first;
 * without it, uncommitted files or commits that no ref contains are refused with a {@link RepositoryError}. Returns the
 * save point's ref.
 */
export async function removeWorktree(input: {
  repo: string;
  path: string;
  saveAs?: string;
}): Promise<string | undefined> {
  const path = await canonical(input.path);
  return exclusive(`meta:${await canonical(input.repo)}`, async () => {
    const entry = (await listWorktrees(input.repo)).find((one) => one.path === path);
    if (!entry) {
      if (!(await exists(path))) return undefined;
      throw new RepositoryError(
        `${path} is not a worktree of ${input.repo}.`,
        'If nothing in it is needed, delete the folder yourself.',
      );
    }
    refuseLocked(entry);
    if ((await exists(path)) && !(await privateGitDir(path)))
      throw new RepositoryError(
        `The link of worktree ${path} to its repository is broken.`,
        `Mend it: git worktree repair '${path}'`,
      );
    const saved = (await exists(path)) ? await secure(path, input.saveAs) : undefined;
    await git(input.repo).run(['worktree', 'remove', '--force', path]);
    await unlinkPlace(path);
    return saved;
  });
}

async function secure(path: string, saveAs: string | undefined): Promise<string | undefined> {
  const status = await readStatus(path);
  if (status.nested.length > 0)
    throw new RepositoryError(
      `${path} holds repositories of its own: ${status.nested.join(', ')}.`,
      'Move them elsewhere first; no save point can keep them.',
    );
  if (saveAs) return savePoint({ worktree: path, idea: saveAs, why: 'its worktree was removed', status });
  if (!isClean(status))
    throw new RepositoryError(
      `${path} has uncommitted work.`,
      `Commit it: git -C '${path}' add -A && git -C '${path}' commit -m "Save"`,
    );
  const held = await git(path).run(['for-each-ref', '--contains', 'HEAD', '--count=1', '--format=%(refname)'], {
    read: true,
  });
  if (!held)
    throw new RepositoryError(
      `${path} has commits that no branch contains.`,
      `Keep them: git -C '${path}' branch <name> HEAD`,
    );
  return undefined;
}
