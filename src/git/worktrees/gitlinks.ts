/**
 * Links to commits of other repositories (submodules) that work adds or moves, and that must not land: such a commit has to
 * be there for others, too.
 * Invariant: reads only; a link of which nothing can be told counts as one that must not land.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { git } from '../runner.js';
import { privateGitDir } from './list.js';
import { hasCommit, isPublished, ownCopy, readSubmodules } from './submodules.js';

export interface LinkTrouble {
  /** Repositories that were made inside the worktree and added: git keeps nothing of their files. */
  embedded: string[];
  /** Submodules whose new commit is only here. */
  unpublished: Array<{ path: string; commit: string }>;
}

/** Of the commit that is checked out, compared with `base`. */
export async function linkTrouble({ worktree, base }: { worktree: string; base: string }): Promise<LinkTrouble> {
  const trouble: LinkTrouble = { embedded: [], unpublished: [] };
  const moved = await movedLinks(worktree, base);
  if (moved.length === 0) return trouble;
  const gitDir = await privateGitDir(worktree);
  const commonDir = gitDir === undefined ? undefined : await commonOf(gitDir);
  const known = new Map((await readSubmodules(worktree)).map((one) => [one.path, one]));
  for (const { path, commit } of moved) {
    const submodule = known.get(path);
    if (!submodule) trouble.embedded.push(path);
    else {
      const here = gitDir !== undefined && (await isPublished(join(gitDir, 'modules', submodule.name), commit));
      const users = commonDir !== undefined && (await hasCommit(ownCopy(commonDir, submodule.name), commit));
      if (!here && !users) trouble.unpublished.push({ path, commit });
    }
  }
  return trouble;
}

/** The git directory of the user's checkout. */
async function commonOf(gitDir: string): Promise<string> {
  return resolve(gitDir, (await readFile(join(gitDir, 'commondir'), 'utf8')).trim());
}

async function movedLinks(worktree: string, base: string): Promise<Array<{ path: string; commit: string }>> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', base, 'HEAD'];
  const fields = (await git(worktree).run(args, { read: true })).split('\0');
  const moved: Array<{ path: string; commit: string }> = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, , commit] = (fields[at] ?? '').split(' ');
    if (mode === '160000' && commit) moved.push({ path: fields[at + 1] ?? '', commit });
  }
  return moved;
}

/** What the agent, or a person, has to do about it; undefined when all is well. */
export function linkText({ embedded, unpublished }: LinkTrouble): string | undefined {
  const said: string[] = [];
  if (embedded.length > 0) {
    const names = embedded.slice(0, 10).join(', ');
    said.push(
      `these folders are committed as links to repositories that exist only here, so nothing of their files would land: ${names}; remove them (git rm --cached), delete their .git and add their files, or ignore them`,
    );
  }
  for (const { path, commit } of unpublished.slice(0, 5)) {
    said.push(
      `the submodule ${path} points to ${commit.slice(0, 10)}, which is in no branch of its origin and not in your checkout: nobody else could fetch it; restore the link, or have the commit pushed there first`,
    );
  }
  return said.length > 0 ? said.join('; ') : undefined;
}
