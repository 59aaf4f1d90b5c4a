/**
 * The warnings about checkouts that landings left behind, each with its own reason.
 * Invariant: reads the checkouts, never writes to them.
 */

import { brokenIndex } from '../checkout-index.js';
import { realBranch } from '../real-branch.js';
import { readTip } from '../refs.js';
import { git } from '../runner.js';
import { readStatus } from '../status.js';
import { changedPaths } from './checkout.js';
import { describeObstacle, findObstacle, type Obstacle, obstacleTo, type Step } from './checkout-update.js';
import { type Lagging, laggingCheckouts, rememberedTargets } from './lagging.js';
import { REVERTED_TRAILER } from './message.js';
import { unfinishedSyncs } from './sync-record.js';

const MOST_COMMITS = 100;

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
  const off = await isRollback(one.dir, base, to);
  const why = half && !own ? 'a sync of it has not ended' : reasonOf(known, checkout, target, off);
  const todo = own && describeObstacle(own, checkout).first;
  const then = todo === undefined ? 'run: ralphctl sync' : `${todo}, then run: ralphctl sync`;
  const has = off ? `${files} as before the rollback` : `the old ${files}`;
  const would = off ? 'bring the work back that was rolled back' : 'revert the landed work';
  return `${checkout} still has ${has}, because ${why}. A commit there would ${would}. First ${then} (it keeps your edits)`;
}

/** Whether the target moved by rollbacks alone. */
async function isRollback(dir: string, base: string, to: string): Promise<boolean> {
  const format = `--format=%H %(trailers:key=${REVERTED_TRAILER},valueonly,separator=%x2C)`;
  const args = ['log', '--first-parent', `-${MOST_COMMITS}`, format, `${base}..${to}`, '--'];
  const commits = (await git(dir).run(args, { read: true })).split('\n').filter(Boolean);
  return commits.length > 0 && commits.length < MOST_COMMITS && commits.every((one) => /^\S+ \S/.test(one));
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

function reasonOf(obstacle: Obstacle | undefined, checkout: string, target: string, off: boolean): string {
  const when = off ? '' : ` when ideas landed on ${target}`;
  if (obstacle?.kind === 'edited') return `your edits blocked the update${when}`;
  if (obstacle) return describeObstacle(obstacle, checkout).problem;
  return `it could not be updated${when}`;
}
