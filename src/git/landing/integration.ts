/**
 * The worktree in which ralphctl gates merged results: one per target, reused by all landings, always detached.
 * Invariant: it never has a branch, so resetting it moves none.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { exclusive, removeStaleLocks } from '../locks.js';
import { slug } from '../project-name.js';
import { textAt } from '../regular.js';
import { git } from '../runner.js';
import { forgetFlags } from '../worktrees/flags.js';
import { clearPath } from '../worktrees/leftovers.js';
import { canonical, headBranch, listWorktrees, privateGitDir } from '../worktrees/list.js';
import { cleanUntracked } from '../worktrees/recycle.js';
import { refill, wantWholeTree } from '../worktrees/whole-tree.js';

/** The integration worktree of a target, created at `commit` when there is none; its files may be those of any commit. */
export async function integrationWorktree(input: {
  repo: string;
  commonDir: string;
  integrationRoot: string;
  target: string;
  commit: string;
}): Promise<string> {
  await mkdir(input.integrationRoot, { recursive: true });
  const path = join(await canonical(input.integrationRoot), folderName(input.target));
  const gitDir = await privateGitDir(path);
  if (gitDir && (await belongsTo(gitDir, input.commonDir))) {
    await removeStaleLocks(gitDir);
    if (await wantWholeTree(gitDir)) await refill(path);
    return path;
  }
  return exclusive(`meta:${await canonical(input.repo)}`, async () => {
    const entry = (await listWorktrees(input.repo)).find((one) => one.path === path);
    await clearPath(input.repo, path, entry, `integration-${slug(input.target) || 'target'}`);
    await git(input.repo).run(['worktree', 'add', '--detach', '--no-checkout', '-q', path, input.commit]);
    const made = await privateGitDir(path);
    if (made) await wantWholeTree(made);
    await git(path).run(['reset', '-q', '--hard']);
    return path;
  });
}

/** Resets the integration worktree to exactly `commit`; ignored folders named by `keep` stay. */
export async function resetIntegration(path: string, commit: string, keep: readonly string[]): Promise<void> {
  const gitDir = await privateGitDir(path);
  if (!gitDir)
    throw new RepositoryError(
      `The integration worktree ${path} has lost its link.`,
      `Remove it and retry: rm -r ${shellQuoted(path)}`,
    );
  // A gate command may have checked out another commit here.
  if (await headBranch(gitDir)) await git(path).run(['checkout', '-q', '-f', '--detach']);
  await forgetFlags(path);
  await git(path).run(['reset', '-q', '--hard', commit]);
  await cleanUntracked(path, keep);
}

function folderName(target: string): string {
  const name = slug(target);
  return name === target
    ? name
    : `${name || 'target'}-${createHash('sha256').update(target).digest('hex').slice(0, 6)}`;
}

async function belongsTo(gitDir: string, commonDir: string): Promise<boolean> {
  const link = (await textAt(`${gitDir}/commondir`)) ?? '';
  return (await canonical(resolve(gitDir, link.trim()))) === commonDir;
}
