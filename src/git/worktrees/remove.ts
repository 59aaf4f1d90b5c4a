/** Removes a worktree. Invariant: refuses while it holds anything unsaved. */

import { shellQuoted } from '../../protocol/shell-words.js';
import { isAncestor } from '../ancestry.js';
import { RepositoryError } from '../errors.js';
import { exclusive } from '../locks.js';
import { branchRef, ideaBranch, readTip } from '../refs.js';
import { git } from '../runner.js';
import { savePoint } from '../saves/saves.js';
import { isClean, readStatus } from '../status.js';
import { findOwn } from './adopt.js';
import { type BranchBack, bringBranchBack } from './branch-back.js';
import { forgetFlags } from './flags.js';
import { moveFolderAside, refuseLocked } from './leftovers.js';
import { canonical, exists, isUnder, listWorktrees, privateGitDir, type WorktreeEntry } from './list.js';
import { mendedWorktrees, saveBehindLink } from './mend.js';
import { unlinkPlace } from './places.js';
import { isReplaced, relink } from './relink.js';
import type { IdeaPlace } from './rollback.js';

/**
 * Removes the worktree at `path`; its branch stays. With `saveAs` (an idea id) its state becomes a save point first.
 * Without it, uncommitted files or commits outside every ref are refused with a {@link RepositoryError}. Returns the
 * save point's ref. `since`: as for `savePoint`.
 */
export async function removeWorktree(input: {
  repo: string;
  path: string;
  saveAs?: string;
  since?: string;
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
        `Fix it: git worktree repair ${shellQuoted(path)}`,
      );
    const saved = (await exists(path)) ? await secure(path, input) : undefined;
    await git(input.repo).run(['worktree', 'remove', '--force', path]);
    await unlinkPlace(path);
    return saved;
  });
}

async function secure(
  path: string,
  { saveAs, since }: { saveAs?: string; since?: string },
): Promise<string | undefined> {
  await forgetFlags(path);
  const status = await readStatus(path);
  if (status.nested.length > 0)
    throw new RepositoryError(
      `${path} holds repositories of its own: ${status.nested.join(', ')}.`,
      'Move them elsewhere first; no save point can keep them.',
    );
  if (saveAs)
    return savePoint({
      ...{ worktree: path, idea: saveAs, why: 'its worktree was removed', status },
      ...(since === undefined ? {} : { since }),
    });
  if (!isClean(status))
    throw new RepositoryError(
      `${path} has uncommitted work.`,
      `Commit it: git -C ${shellQuoted(path)} add -A && git -C ${shellQuoted(path)} commit -m "Save"`,
    );
  const held = await git(path).run(['for-each-ref', '--contains', 'HEAD', '--count=1', '--format=%(refname)'], {
    read: true,
  });
  if (!held)
    throw new RepositoryError(
      `${path} has commits that no branch contains.`,
      `Keep them: git -C ${shellQuoted(path)} branch <name> HEAD`,
    );
  return undefined;
}

/*
 * Removes the worktree of an ended idea.
 * Invariant: unsaved work becomes a save point first. Data that no save point can hold is moved aside or refused by
 * name. The branch is deleted only when the target contains it.
 */

export interface CleanedUp {
  /** The idea has no worktree any more. */
  removed: boolean;
  /** It had none before either. */
  none?: true;
  saved?: string;
  note?: string;
}

/** Idempotent. `force`: also a locked worktree, a broken one, and one with nested repositories. */
export async function cleanupIdea(place: IdeaPlace & { force?: boolean }): Promise<CleanedUp> {
  const { repo, idea } = place;
  const root = await canonical(place.worktreesRoot);
  const branch = ideaBranch(idea);
  const mutex = `meta:${await canonical(repo)}`;
  const entry = await findOwn(
    { root, branch, idea },
    await exclusive(mutex, () => mendedWorktrees({ repo, root, idea })),
  );
  if (entry && !isUnder(entry.path, root))
    return { removed: false, note: `The branch ${branch} is checked out in ${entry.path}, which is not ralphctl's.` };
  let saved: string | undefined;
  let moved: string | undefined;
  let back: BranchBack | undefined;
  try {
    if (entry?.locked !== undefined && place.force) await git(repo).run(['worktree', 'unlock', entry.path]);
    const aside = entry && (place.force ? await exists(entry.path) : await isReplaced(entry.path));
    if (entry && aside && !place.force) refuseLocked(entry);
    // The target has what an idea without work began on.
    const since = `refs/heads/${place.target}`;
    if (entry && !(await isReplaced(entry.path)) && (await exists(entry.path))) {
      const gitDir = await relink(repo, entry.path);
      const { path } = entry;
      // No save can be made of a worktree without its branch.
      if (gitDir)
        back = await exclusive(mutex, async () =>
          bringBranchBack({ repo, idea, path, gitDir, onto: since, resort: await readTip(repo, since) }),
        );
    }
    if (entry && aside) ({ saved, moved } = await moveAside(repo, idea, entry, since));
    if (entry && !moved) saved = (await removeWorktree({ repo, path: entry.path, saveAs: idea, since })) ?? saved;
  } catch (error) {
    if (error instanceof RepositoryError) return { removed: false, note: error.message };
    throw error;
  }
  const kept = await dropBranch(place, branch, back !== undefined && saved !== undefined);
  const note = [moved && `What no save point can hold was kept in ${moved}.`, kept].filter(Boolean).join(' ');
  return {
    removed: true,
    ...(entry ? {} : { none: true as const }),
    saved: saved || undefined,
    note: note || undefined,
  };
}

/** Renames a folder that git cannot remove without loss, and removes its registration. */
async function moveAside(
  repo: string,
  idea: string,
  entry: WorktreeEntry,
  since: string,
): Promise<{ saved: string | undefined; moved: string | undefined }> {
  const valid = (await privateGitDir(entry.path)) !== undefined;
  if (valid) await forgetFlags(entry.path);
  const status = valid ? await readStatus(entry.path) : undefined;
  if (status && status.nested.length === 0) return { saved: undefined, moved: undefined };
  const saved =
    status && (await savePoint({ worktree: entry.path, idea, why: 'its worktree was removed', status, since }));
  const moved = await exclusive(`meta:${await canonical(repo)}`, async () => {
    await saveBehindLink(repo, entry, idea);
    const name = await moveFolderAside(entry.path);
    await git(repo).run(['worktree', 'remove', '--force', entry.path]);
    await unlinkPlace(entry.path);
    return name;
  });
  return { saved, moved };
}

/**
 * Why the branch was kept; undefined when it is gone. `again`: somebody had deleted it, and a save has its work. The next
 * start goes on from there, because the mark of the branch stays.
 */
async function dropBranch(
  { repo, target, idea }: IdeaPlace,
  branch: string,
  again: boolean,
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const tip = await readTip(repo, ref);
  if (!tip) return undefined;
  if (!again && !(await isAncestor(repo, tip, `refs/heads/${target}`)))
    return `The branch ${branch} holds work that ${target} does not contain and was kept.`;
  const lines = [`delete ${ref} ${tip}`, ...(again ? [] : [`delete ${branchRef(idea)}`])];
  await git(repo).run(['update-ref', '--no-deref', '--stdin'], { input: `${lines.join('\n')}\n` });
  return undefined;
}
