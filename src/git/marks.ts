/**
 * Small files of ours in a worktree's private git directory: they survive `git clean` and move with the worktree.
 * Must not start git.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { privateGitDir } from './worktree-list.js';

/**
 * `idea`: who lives here · `recyclable`: landed and clean · `recycling`: being rebuilt for the idea that it names, holds nothing · `reopen`: see
 * reopen.ts · `rolled-back`: see rollback.ts · `unproven`: what is kept in it may be another idea's, until set-up has looked
 */
export type Mark = 'idea' | 'recyclable' | 'recycling' | 'reopen' | 'rolled-back' | 'unproven';

const file = (gitDir: string, mark: Mark): string => `${gitDir}/ralphctl-${mark}`;

export const readMark = (gitDir: string, mark: Mark): Promise<string | undefined> =>
  readFile(file(gitDir, mark), 'utf8').catch(() => undefined);

/** Replaces the mark in one step. */
export async function writeMark(gitDir: string, mark: Mark, text: string): Promise<void> {
  await writeFile(`${file(gitDir, mark)}.new`, text);
  await rename(`${file(gitDir, mark)}.new`, file(gitDir, mark));
}

export const clearMark = (gitDir: string, mark: Mark): Promise<void> => rm(file(gitDir, mark), { force: true });

/** Says that nothing in this worktree is needed any more, so that another idea may have it. No-op for other folders. */
export async function markRecyclable(path: string): Promise<void> {
  const gitDir = await privateGitDir(path);
  if (!gitDir) return;
  await clearMark(gitDir, 'idea');
  await clearMark(gitDir, 'reopen');
  await writeMark(gitDir, 'recyclable', `${new Date().toISOString()}\n`);
}
