/** Whether the uncommitted work of an idea is only in its newest save: neither on its branch nor in its worktree. */
import { ideaBranch, readTip } from '../refs.js';
import { readReflogs } from './list.js';
import type { SavePoint, SaveReason } from './saves.js';

const PUT_AWAY: SaveReason = 'uncommitted work was put away';

export async function isPutAway(repo: string, newest: SavePoint | undefined): Promise<boolean> {
  if (!newest || newest.head === newest.commit) return false;
  const [made, tip] = await Promise.all([readReflogs(repo), readTip(repo, `refs/heads/${ideaBranch(newest.idea)}`)]);
  return tip === newest.head && made.get(newest.ref)?.why === PUT_AWAY;
}
