/**
 * `git add -A` that survives repositories nested inside the worktree: they are left out and reported, because git would
 * record them as links to commits that exist nowhere else.
 */
import { git } from './git.js';
import type { Status } from './status.js';

/** Up to so many changed paths, and characters in them, are named one by one: otherwise git looks at every file there is. */
const MOST_NAMED = 100;
const LONGEST_NAMED = 16_000;

/** Stages everything that the status shows, except nested repositories. */
export async function stageAll(dir: string, status: Status, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const repo = git(dir);
  const options = { env, config: ['core.safecrlf=false'] };
  const named = changedPaths(status);
  if (named?.length === 0) return;
  // What changed since the status was read is refused by name, and found by looking at everything.
  if (named && (await repo.result(['add', '-A', '--', ...named], { ...options, ok: [0, 1, 128] })).code === 0) return;
  const leftOut = status.nested.map((path) => `:(top,exclude,literal)${path}`);
  await repo.run(['add', '-A', '--', ':/', ...leftOut], options);
}

/** What is not staged yet, as pathspecs; undefined where that cannot be told, or is too much to name. */
function changedPaths({ tracked, untracked }: Status): string[] | undefined {
  // Of a file that was moved only the new name is known here.
  if (tracked.some(({ staged, unstaged }) => /[RC]/.test(staged + unstaged))) return undefined;
  const open = tracked.filter(({ unstaged, unmerged }) => unstaged !== '.' || unmerged);
  const specs = [...open.map(({ path }) => path), ...untracked].map((path) => `:(top,literal)${path}`);
  return specs.length <= MOST_NAMED && specs.join('').length <= LONGEST_NAMED ? specs : undefined;
}
