/**
 * The warnings about checkouts that landings left behind, each with its own reason.
 * Invariant: reads the checkouts, never writes to them.
 */

import { brokenIndex } from '../checkout-index.js';
import { realBranch } from '../real-branch.js';
import { readTip } from '../refs.js';
import { readStatus } from '../status.js';
import { changedPaths } from './checkout.js';
import { describeObstacle, findObstacle, type Obstacle, obstacleTo, type Step } from './checkout-update.js';
import { type Lagging, laggingCheckouts, rememberedTargets } from './lagging.js';
import { unfinishedSyncs } from './sync-record.js';

/** One for each checkout that is behind. */
export async function checkoutsBehind(repo: string, named: string): Promise<string[]> {
  const target = await realBranch(repo, named);
  const tip = await readTip(repo, `refs/heads/${target}`);
  const lagging = tip === undefined ? [] : await laggingCheckouts(repo, target, tip);
  if (tip === undefined || lagging.length === 0) return [];
  const texts: string[] = [];
  for (const one of lagging) {
    // What is gone without a lock seldom comes back. Once it does, it is told.
    if (one.away === 'gone') continue;
    texts.push(await behindText(one, target));
  }
  return texts;
}

/** The same for every target that a landing moved, with `target` first. */
export async function allBehind(repo: string, target?: string): Promise<string[]> {
  const first = target === undefined ? [] : [await realBranch(repo, target)];
  const targets = new Set([...first, ...(await rememberedTargets(repo))]);
  return (await Promise.all([...targets].map((each) => checkoutsBehind(repo, each)))).flat();
}

async function behindText(one: Lagging, target: string): Promise<string> {
  const { path: checkout, base, to } = one;
  const [first = '', ...more] = await changedPaths(one.dir, base, to);
  const files = more.length > 0 ? `${first} and ${more.length} more` : first;
  const half = (await unfinishedSyncs(one.dir)).some(({ record }) => record.ref === one.ref);
  const own: Obstacle | undefined = one.away ? { kind: 'away' } : await obstacleOf(checkout, { base, to }, half);
  const switched: Obstacle | undefined = one.elsewhere && { kind: 'switched', ...one.elsewhere };
  const known = own?.kind === 'edited' ? (switched ?? own) : (own ?? switched);
  const why = half && !own ? 'a sync of it has not ended' : reasonOf(known, checkout, target);
  const todo = own && describeObstacle(own, checkout).first;
  const then = todo === undefined ? 'run: ralphctl sync' : `${todo}, then run: ralphctl sync`;
  return (
    `${checkout} still has the old ${files}, because ${why}. ` +
    `A commit there would revert the landed work. First ${then} (it keeps your edits)`
  );
}

/** `half`: of what looks like edits or untracked files, the sync has made some. */
async function obstacleOf(checkout: string, step: Step, half: boolean): Promise<Obstacle | undefined> {
  const broken = await brokenIndex(checkout);
  if (broken) return { kind: 'broken', ...broken };
  const known = await obstacleTo(checkout, step, await readStatus(checkout));
  if (half) return known?.kind === 'edited' ? undefined : known;
  if (known) return known;
  const found = await findObstacle(checkout, step);
  return found.kind === 'refused' ? undefined : found;
}

function reasonOf(obstacle: Obstacle | undefined, checkout: string, target: string): string {
  if (obstacle?.kind === 'edited') return `your edits blocked the update when ideas landed on ${target}`;
  if (obstacle) return describeObstacle(obstacle, checkout).problem;
  return `it could not be updated when ideas landed on ${target}`;
}
