/**
 * Reuses the worktree of a landed idea: far cheaper than a new one, and installed dependencies stay.
 * Invariant: takes only a worktree that was marked at its landing, is detached and is clean now.
 */

import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { textAt } from '../regular.js';
import { GitError, git } from '../runner.js';
import { holdsNoWork, readStatus } from '../status.js';
import { forgetFlags } from './flags.js';
import { privateGitDir, type WorktreeEntry } from './list.js';
import { linksIn } from './places.js';

export interface Recycled {
  path: string;
  gitDir: string;
}

/**
 * Takes a recyclable worktree, preferably the slot's last one; it stays in its place. Undefined when there is none.
 * Call under the repository mutex.
 */
export async function takeRecyclable(
  entries: readonly WorktreeEntry[],
  agentName: string,
  idea: string,
): Promise<Recycled | undefined> {
  const [one] = entries;
  const links = new Map((one ? await linksIn(dirname(one.path)) : []).map(([name, to]) => [to, name]));
  const first = ({ path }: WorktreeEntry): number =>
    (links.get(basename(path)) ?? basename(path)).startsWith(`${agentName}-`) ? 0 : 1;
  const candidates = entries.filter(
    (entry) => !entry.branch && entry.locked === undefined && !entry.bare && !entry.prunable,
  );
  const places: Recycled[] = [];
  for (const { path } of candidates.sort((a, b) => first(a) - first(b))) {
    const gitDir = await privateGitDir(path);
    if (gitDir) places.push({ path, gitDir });
  }
  // A crash happened between taking it and the last step: it is empty, and the same idea may take it.
  for (const place of places) if ((await readMark(place.gitDir, 'recycling')) === idea) return place;
  for (const { path, gitDir } of places) {
    if ((await readMark(gitDir, 'recyclable')) === undefined) continue;
    // An agent may have broken its git directory.
    const status = await readStatus(path).catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error;
    });
    if (!status || !holdsNoWork(status)) {
      await clearMark(gitDir, 'recyclable');
      continue;
    }
    await writeMark(gitDir, 'unproven', '');
    await writeMark(gitDir, 'recycling', idea);
    await clearMark(gitDir, 'recyclable');
    return { path, gitDir };
  }
  return undefined;
}

/**
 * Checks out a branch in an empty worktree: at `base` when the branch is new, at its tip otherwise. Ignored folders
 * named by `keep` (dependency caches) stay; every other untracked file is deleted.
 */
export async function resetOnto(
  { path, gitDir }: Recycled,
  target: { branch: string; base?: string },
  keep: readonly string[],
): Promise<void> {
  // Another attempt has finished here meanwhile, and somebody may work in it.
  if ((await readMark(gitDir, 'recycling')) === undefined) return;
  const repo = git(path);
  await cleanUntracked(path, keep);
  const to = target.base === undefined ? [target.branch] : ['--no-track', '-B', target.branch, target.base];
  await forgetFlags(path);
  await repo.run(['checkout', '-q', '-f', ...to, '--']);
  await clearMark(gitDir, 'recycling');
}

/** Removes untracked and ignored files, except what `keep` (gitignore patterns) names. */
export async function cleanUntracked(path: string, keep: readonly string[]): Promise<void> {
  await git(path).run(['clean', '-ffdxq', ...keep.filter(Boolean).flatMap((pattern) => ['-e', pattern])]);
}

/*
 * Small ralphctl files in a worktree's private git directory: they survive `git clean` and move with the worktree.
 * Must not start git.
 */

/**
 * `idea`: the owner · `filling`: the owner until it is ready for work · `recyclable`: landed and clean · `recycling`: being
 * rebuilt for the named idea, empty · `reopen`: see reopen.ts · `rolled-back`: see rollback.ts · `unproven`: kept folders
 * may be another idea's, until set-up has checked · `place`: the folder in which ralphctl left the worktree, which its
 * agent may move · `put-away`: see put-away.ts
 */
export type Mark =
  | 'idea'
  | 'filling'
  | 'recyclable'
  | 'recycling'
  | 'reopen'
  | 'rolled-back'
  | 'unproven'
  | 'place'
  | 'put-away';

const file = (gitDir: string, mark: Mark): string => `${gitDir}/ralphctl-${mark}`;

export const readMark = (gitDir: string, mark: Mark): Promise<string | undefined> => textAt(file(gitDir, mark));

/** Replaces the mark atomically. */
export async function writeMark(gitDir: string, mark: Mark, text: string): Promise<void> {
  await writeFile(`${file(gitDir, mark)}.new`, text);
  await rename(`${file(gitDir, mark)}.new`, file(gitDir, mark));
}

/** The idea that has it; undefined for one that was just registered, or is none of ralphctl's. */
export const ownerOf = async (gitDir: string): Promise<string | undefined> =>
  // In this order: `idea` is there before `filling` goes.
  (await readMark(gitDir, 'filling')) ?? (await readMark(gitDir, 'idea'));

/** Each idea with its worktree, also one that is not on the idea's branch. */
export async function worktreesOfIdeas(entries: readonly WorktreeEntry[]): Promise<Map<string, WorktreeEntry>> {
  const found = new Map<string, WorktreeEntry>();
  for (const entry of entries) {
    const gitDir = await privateGitDir(entry.path);
    const idea = gitDir && (await readMark(gitDir, 'idea'));
    if (idea) found.set(idea, entry);
  }
  return found;
}

export const clearMark = (gitDir: string, mark: Mark): Promise<void> => rm(file(gitDir, mark), { force: true });

/** Releases this worktree for other ideas. No-op for other folders. */
export async function markRecyclable(path: string): Promise<void> {
  const gitDir = await privateGitDir(path);
  if (!gitDir) return;
  await clearMark(gitDir, 'idea');
  await clearMark(gitDir, 'reopen');
  await clearMark(gitDir, 'put-away');
  await writeMark(gitDir, 'recyclable', `${new Date().toISOString()}\n`);
}
