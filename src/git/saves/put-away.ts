/**
 * Whether the uncommitted work of an idea is in its newest save: neither on its branch nor in its worktree.
 * Invariant: reads only.
 */
import { ideaBranch, readTip } from '../refs.js';
import { readStatus } from '../status.js';
import { exists, listWorktrees, privateGitDir } from '../worktrees/list.js';
import { comesBack, isBare, type PutAway } from '../worktrees/put-away.js';
import { readReflogs } from './list.js';
import type { SavePoint, SaveReason } from './saves.js';

/** What else was saved, the branch goes on from. */
const TAKEN_OUT: ReadonlySet<string> = new Set([
  'uncommitted work was put away',
  // An abort puts away what its agent left, and the save is the same.
  'its agent was interrupted',
  'its folder was gone',
  'its worktree was removed',
  'its worktree was moved away',
] satisfies SaveReason[]);

/** `saves`: of the idea, oldest first. `back`: the next start brings it back; otherwise it goes on without it. */
export async function putAwayOf(repo: string, saves: readonly SavePoint[]): Promise<PutAway | undefined> {
  const last = saves.at(-1);
  if (!last) return undefined;
  const branch = ideaBranch(last.idea);
  const [made, tip] = await Promise.all([readReflogs(repo), readTip(repo, `refs/heads/${branch}`)]);
  // A save of the bare branch, as the removal of a worktree leaves it, replaces none.
  const newest = saves.findLast(({ commit }) => commit !== tip);
  if (!newest || newest.head === newest.commit) return undefined;
  const { idea, n, head, ref } = newest;
  if (tip !== head || !TAKEN_OUT.has(made.get(ref)?.why ?? '')) return undefined;
  const path = (await listWorktrees(repo)).find((one) => one.branch === branch)?.path;
  const gitDir = path !== undefined && (await exists(path)) ? await privateGitDir(path) : undefined;
  if (path === undefined || !gitDir) return { n, back: false };
  if (!isBare(await readStatus(path))) return undefined;
  return { n, back: await comesBack({ path, gitDir, idea, branch }) };
}
