/**
 * An idea's branch that is checked out outside the folder of worktrees: left by a moved repository, copied with a
 * repository, held by another state folder, or by a person.
 * Invariant: only a worktree with a dead link is moved, because nobody can work there. Its files, index and commits
 * move with it.
 */
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';
import { exists, privateGitDir, type WorktreeEntry } from './list.js';
import { copiedRegistration, registrations, repairLinks } from './moved.js';
import { freePlace, isPlace } from './places.js';
import { ownerOf } from './recycle.js';

/** The folder of worktrees in a state folder. */
const IN_STATE = /^(.+)\/projects\/[^/]+\/worktrees$/s;

export interface Wanted {
  repo: string;
  /** Folder for the idea's worktree. */
  root: string;
  branch: string;
  idea: string;
}

/** The worktree, moved into the folder; undefined when the branch is free now. Call under the repository mutex. */
export async function bringOver(
  wanted: Wanted,
  entry: WorktreeEntry,
  entries: readonly WorktreeEntry[],
): Promise<{ path: string; gitDir: string } | undefined> {
  const commonDir = await sharedGitDir(wanted.repo);
  const copied = await copiedRegistration(commonDir, entry.path);
  if (copied !== undefined) {
    await rm(copied, { recursive: true, force: true });
    return undefined;
  }
  if (await privateGitDir(entry.path)) throw await takenElsewhere(wanted, entry, entries);
  const admin = (await registrations(commonDir)).find((one) => one.path === entry.path)?.admin;
  const ours = admin !== undefined && (await ownerOf(admin)) === wanted.idea;
  if (!ours || !(await exists(entry.path))) throw await takenElsewhere(wanted, entry, entries);
  await repairLinks(commonDir);
  const path = await freePlace(wanted.root, entries);
  await mkdir(wanted.root, { recursive: true });
  await git(wanted.repo).run(['worktree', 'move', entry.path, path]);
  return { path, gitDir: admin };
}

/**
 * Two runs on one branch would undo each other's work, and detaching the branch could take it from a live run. So the
 * fix ends that run first and then moves its work.
 */
export async function takenElsewhere(
  { repo, root, branch, idea }: Wanted,
  { path }: WorktreeEntry,
  entries: readonly WorktreeEntry[],
): Promise<RepositoryError> {
  const gitDir = await privateGitDir(path);
  const [, state] = IN_STATE.exec(dirname(path)) ?? [];
  // Between its registration and its mark, only its place tells.
  const made = state !== undefined && isPlace(basename(path)) ? idea : undefined;
  if (!gitDir || ((await ownerOf(gitDir)) ?? made) !== idea)
    return new RepositoryError(
      `The branch ${branch} is checked out in ${path}, which is not a worktree of ralphctl.`,
      `Free the branch: git -C ${shellQuoted(path)} switch --detach`,
    );
  const there = `RALPHCTL_HOME=${shellQuoted(state ?? 'THAT STATE FOLDER')} ralphctl`;
  return new RepositoryError(
    `Another ralphctl works on ${idea}: its worktree ${path} has ${branch}, and belongs to another state folder.`,
    `Continue there (${there} start). Or end its run (${there} stop), wait until it is over (${there} status), and move the worktree with its contents: mkdir -p ${shellQuoted(root)} && git -C ${shellQuoted(repo)} worktree move ${shellQuoted(path)} ${shellQuoted(await freePlace(root, entries))}`,
  );
}
