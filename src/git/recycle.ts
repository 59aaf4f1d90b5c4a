/**
 * Reusing the worktree of a landed idea: far cheaper than a new one, and installed dependencies stay.
 * Invariant: only a worktree that was marked at landing, is detached and is clean at this moment is taken.
 */
import { basename } from 'node:path';
import { git } from './git.js';
import { clearMark, readMark, writeMark } from './marks.js';
import { isClean, readStatus } from './status.js';
import { exists, privateGitDir, type WorktreeEntry } from './worktree-list.js';

export interface Recycled {
  path: string;
  gitDir: string;
}

/** Takes a recyclable worktree and moves it to `path`; undefined when there is none. Call under the repository mutex. */
export async function takeRecyclable(
  repo: string,
  entries: readonly WorktreeEntry[],
  agentName: string,
  path: string,
): Promise<Recycled | undefined> {
  const first = (entry: WorktreeEntry): number =>
    entry.path === path ? 0 : basename(entry.path).startsWith(`${agentName}-`) ? 1 : 2;
  const candidates = entries.filter(
    (entry) => !entry.branch && entry.locked === undefined && !entry.bare && !entry.prunable,
  );
  for (const entry of candidates.sort((a, b) => first(a) - first(b))) {
    const gitDir = await privateGitDir(entry.path);
    if (!gitDir || (await readMark(gitDir, 'recyclable')) === undefined) continue;
    if (!isClean(await readStatus(entry.path))) {
      await clearMark(gitDir, 'recyclable');
      continue;
    }
    if (entry.path !== path) {
      if (await exists(path)) continue;
      // git refuses to move one with submodules; it then stays what it is.
      const moved = await git(repo).result(['worktree', 'move', entry.path, path], { ok: [0, 128] });
      if (moved.code !== 0) continue;
    }
    await writeMark(gitDir, 'recycling', '');
    await clearMark(gitDir, 'recyclable');
    return { path, gitDir };
  }
  return undefined;
}

/**
 * Puts a worktree that holds nothing onto a branch: at `base` when the branch is new, at its tip otherwise. Ignored
 * folders named by `keep` (dependency caches) stay; every other untracked file goes.
 */
export async function resetOnto(
  { path, gitDir }: Recycled,
  target: { branch: string; base?: string },
  keep: readonly string[],
): Promise<void> {
  // Another attempt has come to its end here meanwhile, and somebody may work in it.
  if ((await readMark(gitDir, 'recycling')) === undefined) return;
  const repo = git(path);
  await cleanUntracked(path, keep);
  const to = target.base === undefined ? [target.branch] : ['--no-track', '-B', target.branch, target.base];
  await repo.run(['checkout', '-q', '-f', ...to, '--']);
  await clearMark(gitDir, 'recycling');
}

/** Removes untracked and ignored files, except what `keep` (gitignore patterns) names. */
export async function cleanUntracked(path: string, keep: readonly string[]): Promise<void> {
  await git(path).run(['clean', '-ffdxq', ...keep.filter(Boolean).flatMap((pattern) => ['-e', pattern])]);
}
