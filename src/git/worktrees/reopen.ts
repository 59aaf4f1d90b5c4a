/**
 * Returns a failed landing to the agent, in the idea's own worktree.
 * Invariant: the earlier state is saved. For the same target commit it happens once (the mark proves it), so a retried
 * activity never discards later work of the agent.
 */

import { shellQuoted } from '../../protocol/shell-words.js';
import { isAncestor } from '../ancestry.js';
import { identityEnv, slotAuthor, writeCommit } from '../commits.js';
import { RepositoryError } from '../errors.js';
import { git } from '../runner.js';
import { keep, savePoint } from '../saves/saves.js';
import { privateGitDir } from './list.js';
import { clearMark, readMark, writeMark } from './recycle.js';

interface Mark {
  onto: string;
  tip: string;
  done: boolean;
}

/**
 * Resets the branch to `onto` with the idea's work as one uncommitted change; where both sides changed the same lines
 * the files contain conflict markers. The worktree must be on the idea's branch. Returns the files with conflicts.
 */
export async function reopenForConflict(input: {
  worktree: string;
  idea: string;
  onto: string;
  /** The idea's own commits begin after this one, which `onto` does not contain. */
  after?: string | undefined;
}): Promise<{ files: string[] }> {
  const { worktree, idea, onto, after } = input;
  const { gitDir, head } = await locate(worktree);
  const repo = git(worktree);
  const seen = await readReopen(gitDir);
  if (seen?.onto === onto && seen.done) return { files: await unmerged(worktree) };
  await savePoint({ worktree, idea, why: 'a landing conflict was handed back' });
  // After a crash half-way HEAD may already be `onto`: the tip to apply is the recorded one.
  const tip = seen?.onto === onto ? seen.tip : head;
  await keep(worktree, idea, tip, 'a landing conflict was handed back');
  await writeMark(gitDir, 'reopen', JSON.stringify({ onto, tip, done: false } satisfies Mark));
  await repo.run(['reset', '-q', '--hard', onto]);
  const env = await identityEnv(worktree);
  if (after === undefined)
    await repo.result(['merge', '--squash', '--no-commit', '--quiet', '--no-stat', tip], { ok: [0, 1], env });
  else await repo.result(['cherry-pick', '--no-commit', await squashedOn(worktree, after, tip)], { ok: [0, 1], env });
  await writeMark(gitDir, 'reopen', JSON.stringify({ onto, tip, done: true } satisfies Mark));
  return { files: await unmerged(worktree) };
}

/** All that `tip` changed since `after`, as one commit. */
async function squashedOn(worktree: string, after: string, tip: string): Promise<string> {
  const repo = git(worktree);
  const tree = await repo.run(['rev-parse', '--verify', `${tip}^{tree}`], { read: true });
  const commit = { tree, parents: [after], author: slotAuthor('ralphctl'), message: 'stand-in\n' };
  return writeCommit(repo, commit, { who: await identityEnv(worktree) });
}

/**
 * Resets the branch to the candidate that the gate refused, so that the agent fixes exactly the code that would land.
 */
export async function reopenForRed(input: { worktree: string; idea: string; candidate: string }): Promise<void> {
  const { worktree, idea, candidate } = input;
  const { gitDir, head } = await locate(worktree);
  if (await isAncestor(worktree, candidate, head)) return;
  await savePoint({ worktree, idea, why: 'a red landing was handed back' });
  await keep(worktree, idea, head, 'a red landing was handed back');
  await clearMark(gitDir, 'reopen');
  await git(worktree).run(['reset', '-q', '--hard', candidate]);
}

async function locate(worktree: string): Promise<{ gitDir: string; head: string }> {
  const gitDir = await privateGitDir(worktree);
  if (!gitDir)
    throw new RepositoryError(
      `${worktree} is not a valid worktree.`,
      `Fix its link: git worktree repair ${shellQuoted(worktree)}`,
    );
  return { gitDir, head: await git(worktree).run(['rev-parse', 'HEAD'], { read: true }) };
}

async function readReopen(gitDir: string): Promise<Mark | undefined> {
  const text = await readMark(gitDir, 'reopen');
  if (!text) return undefined;
  try {
    return JSON.parse(text) as Mark;
  } catch {
    return undefined;
  }
}

async function unmerged(worktree: string): Promise<string[]> {
  const text = await git(worktree).run(['diff', '--name-only', '--diff-filter=U', '-z'], { read: true });
  return text.split('\0').filter(Boolean);
}
