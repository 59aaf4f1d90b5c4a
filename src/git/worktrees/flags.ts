/**
 * Files that git was told not to look at (assume-unchanged, skip-worktree). Their edits are in no status, commit and save
 * point, and a checkout does not replace them.
 * Invariant: only for worktrees of ralphctl. A person's own marks stay; see `landing/hidden-edits.ts`.
 */
import { git } from '../runner.js';

export async function forgetFlags(path: string): Promise<void> {
  const repo = git(path);
  const files = (await repo.run(['ls-files', '-v', '-z', '--full-name', ':/'], { read: true })).split('\0');
  const marked = files.filter((line) => /^[a-zS] /.test(line));
  if (marked.length === 0) return;
  // There, skip-worktree is how git leaves files out.
  const sparse = (await repo.run(['config', '--bool', 'core.sparseCheckout'], { ok: [0, 1], read: true })) === 'true';
  const paths = marked.filter((line) => !sparse || /^[a-z] /.test(line)).map((line) => `${line.slice(2)}\0`);
  if (paths.length === 0) return;
  for (const flag of sparse ? ['--no-assume-unchanged'] : ['--no-skip-worktree', '--no-assume-unchanged'])
    await repo.run(['update-index', flag, '-z', '--stdin'], { input: paths.join('') });
}
