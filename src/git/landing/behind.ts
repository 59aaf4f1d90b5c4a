/**
 * The warnings about checkouts that landings left behind, each with its own reason.
 * Invariant: reads the checkouts, never writes to them.
 */

import { readTip } from '../refs.js';
import { readStatus } from '../status.js';
import { listWorktrees } from '../worktrees/list.js';
import { changedPaths, checkoutsOf, isBehind, rememberedBase } from './checkout.js';
import { describeObstacle, findObstacle, type Obstacle, obstacleTo, type Step } from './checkout-update.js';

/** One for each checkout that is behind. */
export async function checkoutsBehind(repo: string, target: string): Promise<string[]> {
  const [base, tip] = [await rememberedBase(repo, target), await readTip(repo, `refs/heads/${target}`)];
  if (base === undefined || tip === undefined) return [];
  const checkouts = await checkoutsOf(await listWorktrees(repo), target);
  const texts: string[] = [];
  for (const checkout of checkouts)
    if (await isBehind(checkout, base, tip))
      texts.push(await behindText({ checkout, checkouts, target }, { base, to: tip }));
  return texts;
}

interface Place {
  checkout: string;
  checkouts: readonly string[];
  target: string;
}

async function behindText({ checkout, checkouts, target }: Place, step: Step): Promise<string> {
  const [first = '', ...more] = await changedPaths(checkout, step.base, step.to);
  const files = more.length > 0 ? `${first} and ${more.length} more` : first;
  const own = await obstacleOf(checkout, step);
  const several: Obstacle | undefined = checkouts.length > 1 ? { kind: 'several', checkouts } : undefined;
  const why = reasonOf(own ?? several, checkout, target);
  // Only one checkout of a branch can be brought along, so that comes before all else.
  const todo = (several ?? own) && describeObstacle(several ?? own ?? { kind: 'refused' }, checkout).first;
  const then = todo === undefined ? 'run: ralphctl sync' : `${todo}, then run: ralphctl sync`;
  return (
    `${checkout} still has the old ${files}, because ${why}. ` +
    `A commit there would revert the landed work. First ${then} (it keeps your edits)`
  );
}

async function obstacleOf(checkout: string, step: Step): Promise<Obstacle | undefined> {
  const known = await obstacleTo(checkout, step, await readStatus(checkout));
  if (known) return known;
  const found = await findObstacle(checkout, step);
  return found.kind === 'refused' ? undefined : found;
}

function reasonOf(obstacle: Obstacle | undefined, checkout: string, target: string): string {
  if (obstacle?.kind === 'edited') return `your edits blocked the update when ideas landed on ${target}`;
  if (obstacle) return describeObstacle(obstacle, checkout).problem;
  return `it could not be updated when ideas landed on ${target}`;
}
