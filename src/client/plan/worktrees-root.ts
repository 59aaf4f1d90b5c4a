/**
 * Checks `worktrees.root` before anything starts.
 * Invariant: the result is an absolute folder that is writable, and that is not, does not contain and is not inside the
 * git directory. Worktrees there never touch the user's files.
 */
import { access, constants, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Repository } from '../../git/repository.js';
import { git } from '../../git/runner.js';
import { UserError } from '../../protocol/user-error.js';

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(folder.replace(/\/?$/, sep));

/** The path with links resolved as far as it exists. */
async function real(path: string): Promise<{ path: string; existing: string }> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = await realpath(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && at !== dirname(at)) return undefined;
      throw error;
    });
    if (found !== undefined) return { path: join(found, ...missing), existing: found };
    missing.unshift(basename(at));
  }
}

/**
 * @param root as the configuration has it; relative to the repository
 * @returns the absolute path, and a warning where git would list the worktrees as untracked files of the checkout
 * @throws UserError that names the folder, the problem and the edit that fixes it
 */
export async function checkWorktreesRoot(
  repository: Repository,
  root: string,
): Promise<{ path: string; warning?: string }> {
  const refuse = (why: string): never => {
    throw new UserError(
      `worktrees.root: ${JSON.stringify(root)} cannot hold worktrees: ${why}. Name a folder that is for worktrees only, or remove the key from ralphctl.yaml`,
    );
  };
  if (root.includes('\0')) refuse('it contains a NUL character');
  const wanted = resolve(repository.root, root);
  const { path, existing } = await real(wanted).catch((error: NodeJS.ErrnoException) =>
    refuse(error.code === 'ENOTDIR' ? 'a part of its path is a file' : error.message),
  );
  const [top, own] = await Promise.all([realpath(repository.root), realpath(repository.commonDir)]);
  if (path === top) refuse('it is the repository itself');
  if (isIn(top, path)) refuse('the repository lies in it');
  if (isIn(path, own)) refuse('it lies in git’s own folder');
  if (!(await stat(existing)).isDirectory()) refuse(`${existing} is not a folder`);
  await access(existing, constants.W_OK | constants.X_OK).catch(() => refuse(`${existing} is not writable`));
  if (!isIn(path, top)) return { path };
  const inside = `${relative(top, path)}/`;
  const { code } = await git(repository.root).result(['check-ignore', '--quiet', '--no-index', '--', inside], {
    ok: [0, 1],
    read: true,
  });
  if (code === 0) return { path };
  const warning = `worktrees.root lies in the repository and git does not ignore it: add ${inside} to .gitignore`;
  return { path, warning };
}
