/**
 * `git add -A` that survives repositories nested inside the worktree: they are left out and reported, because git would
 * record them as links to commits that exist nowhere else.
 */
import { git } from './git.js';
import type { Status } from './status.js';

/** Stages everything that the status shows, except nested repositories. */
export async function stageAll(dir: string, status: Status, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const leftOut = status.nested.map((path) => `:(top,exclude,literal)${path}`);
  await git(dir).run(['add', '-A', '--', ':/', ...leftOut], { env, config: ['core.safecrlf=false'] });
}
