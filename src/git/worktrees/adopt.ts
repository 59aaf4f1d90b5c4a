/**
 * Adopts the worktree that an idea already has, after a crash, a retry or with another agent.
 * Invariant: its files, index and commits stay unchanged. What somebody put in its place is moved aside as it is.
 */

import { removeStaleLocks } from '../locks.js';
import { bringOver, type Wanted } from './bring-over.js';
import { forget, setAside } from './leftovers.js';
import { exists, isUnder, privateGitDir, type WorktreeEntry } from './list.js';
import { readMark } from './recycle.js';
import { relink } from './relink.js';

/** A place whose worktree is gone. `aside`: what was there instead is here now. */
interface Empty {
  path: string;
  aside?: string | undefined;
}

/**
 * The idea's worktree; only its path when its folder is gone or is no worktree any more; undefined when it has none.
 * Call under the repository mutex.
 */
export async function adopt(
  wanted: Wanted,
  entries: readonly WorktreeEntry[],
): Promise<{ path: string; gitDir: string } | Empty | undefined> {
  const entry = await findOwn(wanted, entries);
  if (!entry) return undefined;
  if (!isUnder(entry.path, wanted.root)) return bringOver(wanted, entry, entries);
  if (!(await exists(entry.path))) {
    await forget(wanted.repo, entry, wanted.idea);
    return { path: entry.path };
  }
  const gitDir = await relink(wanted.repo, entry.path);
  if (!gitDir) return { path: entry.path, aside: await setAside(wanted.repo, entry, wanted.idea) };
  await removeStaleLocks(gitDir, { branch: wanted.branch });
  return { path: entry.path, gitDir };
}

/**
 * The registration of the idea's worktree, which may be outside `root` when somebody else has its branch checked out.
 */
export async function findOwn(
  wanted: Pick<Wanted, 'root' | 'branch' | 'idea'>,
  entries: readonly WorktreeEntry[],
): Promise<WorktreeEntry | undefined> {
  const onBranch = entries.find((entry) => entry.branch === wanted.branch);
  if (onBranch) return onBranch;
  // An agent may have left the branch (detached, in a rebase): then the mark identifies the worktree.
  for (const entry of entries) {
    if (!isUnder(entry.path, wanted.root)) continue;
    const gitDir = await privateGitDir(entry.path);
    if (gitDir && (await readMark(gitDir, 'idea')) === wanted.idea) return entry;
  }
  return undefined;
}
