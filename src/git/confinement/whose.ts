/**
 * Attributes traced commands to the worktree that they write. git names the folder in which a command worked, but HEAD,
 * index and branch lie in the git directory: with `--git-dir`, `GIT_DIR` or an own `.git` file, it is that of another
 * worktree.
 * Invariant: reads only. A command whose git directory is of no known worktree stays as git named it.
 */
import { join } from 'node:path';
import { canonical, type Link } from '../worktrees/list.js';
import type { OutsidePlace } from './outside.js';
import type { TracedCommand } from './trace.js';

/** The commands, each with the worktree that it writes. `links`: the linked worktrees, keyed by their registrations. */
export async function byGitDir(
  commands: readonly TracedCommand[],
  { root, gitDir, commonDir }: OutsidePlace,
  links: Readonly<Record<string, Link>>,
): Promise<TracedCommand[]> {
  const owners = new Map<string, string>();
  const entries = Object.entries(links).map(([name, { path }]) => [join(commonDir, 'worktrees', name), path] as const);
  for (const [dir, path] of [...entries, [gitDir, root] as const]) owners.set(await canonical(dir), path);
  const known = new Map<string, string | undefined>();
  const ownerOf = async (dir: string): Promise<string | undefined> => {
    if (!known.has(dir)) known.set(dir, owners.get(await canonical(dir)));
    return known.get(dir);
  };
  return Promise.all(
    commands.map(async (one) => {
      const owner = one.gitDir === undefined ? undefined : await ownerOf(one.gitDir);
      return owner === undefined || owner === one.worktree ? one : { ...one, worktree: owner };
    }),
  );
}
