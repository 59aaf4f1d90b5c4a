/**
 * How far the branch of an idea is behind its target: its next iteration works on that old base.
 * Invariant: reads only.
 */
import { ideaBranch } from '../refs.js';
import { git } from '../runner.js';
import { listWorktrees, privateGitDir } from './list.js';
import { readMark } from './recycle.js';

/** Commits of the target that the branch lacks; 0 without a branch, and where the next start takes it along. */
export async function commitsBehind(repo: string, target: string, idea: string): Promise<number> {
  const branch = ideaBranch(idea);
  const range = `refs/heads/${target}...refs/heads/${branch}`;
  const { code, stdout } = await git(repo).result(['rev-list', '--left-right', '--count', range, '--'], {
    ok: [0, 128],
    read: true,
  });
  const [behind = 0, own = 0] = code === 0 ? stdout.trim().split('\t').map(Number) : [];
  if (behind === 0 || own > 0) return behind;
  const worktree = (await listWorktrees(repo)).find((one) => one.branch === branch);
  const gitDir = worktree && (await privateGitDir(worktree.path));
  const rolledBack = gitDir && (await readMark(gitDir, 'rolled-back')) !== undefined;
  return rolledBack ? 0 : behind;
}
