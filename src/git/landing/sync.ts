/**
 * Updates a checkout that was left behind and keeps the user's edits: a three-way merge of landed work and later edits.
 * Invariant: refused, or done completely. No edit is lost, the earlier state is a save point, and staged work stays
 * staged where possible. Files are written only after all refusals, and after a record of them: what a kill or a full
 * disk breaks off, the next sync undoes or finishes (sync-end.ts).
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { brokenIndex } from '../checkout-index.js';
import { endOwnWrites, ownWrites } from '../confinement/own-writes.js';
import { RepositoryError } from '../errors.js';
import { checkoutSyncRef, readTip } from '../refs.js';
import { type Git, git } from '../runner.js';
import { CHECKOUT_SAVES, ownIndex, savePoint } from '../saves/saves.js';
import { readStatus, type Status } from '../status.js';
import { changedPaths, editedFiles } from './checkout.js';
import { describeObstacle, type Obstacle, obstacleTo, some } from './checkout-update.js';
import { hiddenEdits } from './hidden-edits.js';
import { inTheWay } from './in-the-way.js';
import { type Checkout, checkoutWith, laggingForSync, reachedBy } from './lagging.js';
import { isSparse, keepingFiles, leaveOutAlike } from './sparse-index.js';
import { beforeFiles, breakOff, endSync } from './sync-end.js';
import { mergeEdits } from './sync-merge.js';
import {
  markOf,
  type OpenSync,
  openSync,
  type SyncRecord,
  saveName,
  unfinishedSyncs,
  untilWritersEnd,
} from './sync-record.js';

export interface Synced {
  checkout: string;
  /** Updated paths. */
  paths: string[];
  /** Of those, the paths with merged user edits. */
  merged: string[];
  /** Files with conflicts; conflict markers in those with text. */
  conflicts: string[];
  /** Files that hold the other version of one of those, beside it. */
  beside: string[];
  /** Save point of the earlier state. */
  saved?: string;
  /** Save point of the state before a sync that was broken off, where that is another one. */
  interrupted?: string;
  /** What that left, where it has files that may be a person's. */
  half?: { save: string; paths: string[] };
}

/** What a sync may do. */
export interface Syncing {
  /** Conflict markers. */
  conflicts?: boolean;
  /** Refs of checkouts that are left out; gets the one that it begins with. */
  tried?: Set<string>;
}

/** One checkout. Undefined: nothing is behind. Throws {@link RepositoryError} with the obstacle. */
export async function syncCheckout(
  repo: string,
  target: string,
  { conflicts = false, tried = new Set() }: Syncing = {},
): Promise<Synced | undefined> {
  const how = { conflicts, tried };
  for (const open of await unfinishedSyncs(repo)) {
    const { record } = open;
    if (record.target !== target || tried.has(record.ref)) continue;
    const now = await checkoutWith(repo, target, record.ref);
    tried.add(record.ref);
    // It waits until the checkout is back.
    if (now && (now.away || (now.base === record.base && !(await isBack(repo, now, record))))) continue;
    const done = await afterBroken(repo, open, how);
    if (done) return done;
  }
  return syncFresh(repo, target, how);
}

const whereabouts = ({ elsewhere }: Checkout): string | undefined => elsewhere && (elsewhere.branch ?? '');

/** On another branch with the same landed work, it has the same files. */
async function isBack(repo: string, now: Checkout, { target, branch, tip }: SyncRecord): Promise<boolean> {
  if (whereabouts(now) === branch) return true;
  const last = await readTip(repo, `refs/heads/${target}`);
  return last !== undefined && (await reachedBy(now, last)) === tip;
}

async function afterBroken(repo: string, open: OpenSync, how: Required<Syncing>): Promise<Synced | undefined> {
  const { target, ref } = open.record;
  await untilWritersEnd(open);
  const now = await checkoutWith(repo, target, ref);
  const record = { ...open.record, checkout: now?.path ?? open.record.checkout };
  if (now) {
    await refuseBroken(now.path);
    const obstacle = await obstacleTo(now.path, { base: record.base, to: record.tip }, await readStatus(now.path));
    if (obstacle && obstacle.kind !== 'edited') throw refusal(describeObstacle(obstacle, now.path));
  }
  const written = now ? await ownBroken(record) : undefined;
  const { how: ended, half } = await endSync(repo, open, now);
  if (ended === 'undone') await written?.();
  if (ended === 'finished') {
    await settled(git(repo), record);
    return resultOf(record);
  }
  const done = await syncFresh(repo, target, how, ref).catch((error: unknown) => {
    if (!(error instanceof RepositoryError) || ended === 'left') throw error;
    const cut = half ? ` ${some(half.paths)} seemed cut off; as they were: save ${saveName(half)}.` : '';
    const before = `The sync that was interrupted is undone; the state before it is save ${saveName(record)}.${cut} `;
    throw new RepositoryError(`${before}${error.problem}`, error.fix, { cause: error });
  });
  const interrupted = record.save === done?.saved ? undefined : record.save;
  if (!done && !interrupted) return undefined;
  const nothing = { checkout: record.checkout, paths: [], merged: [], conflicts: [], beside: [] };
  return { ...(done ?? nothing), ...(interrupted ? { interrupted } : {}), ...(half ? { half } : {}) };
}

/** Notes what it had written; the returned function notes what the undo wrote. */
async function ownBroken({ checkout, files, next, mark }: SyncRecord): Promise<() => Promise<void>> {
  await endOwnWrites(checkout, mark, notHolding(checkout, next));
  const moves = await changedPaths(checkout, files, next);
  const written = await ownWrites(
    checkout,
    moves.map((path) => join(checkout, path)),
  );
  return () => written(notHolding(checkout, files));
}

/** The files that differ from a tree. */
const notHolding =
  (checkout: string, tree: string): (() => Promise<ReadonlySet<string>>) =>
  async () =>
    new Set([...(await editedFiles(checkout, tree))].map((path) => join(checkout, path)));

async function resultOf({ checkout, base, tip, merged, conflicts, beside, save }: SyncRecord): Promise<Synced> {
  const paths = await changedPaths(checkout, base, tip);
  return { checkout, paths, merged, conflicts, beside, ...(save ? { saved: save } : {}) };
}

/** `only`: the checkout with this ref. */
async function syncFresh(
  repo: string,
  target: string,
  { conflicts, tried }: Required<Syncing>,
  only?: string,
): Promise<Synced | undefined> {
  const last = await readTip(repo, `refs/heads/${target}`);
  const one = (await laggingForSync(repo, target, last)).find(
    ({ away, ref }) => !away && (only === undefined ? !tried.has(ref) : ref === only),
  );
  if (!one) return undefined;
  const { path: checkout, base, to: tip, ref } = one;
  tried.add(ref);
  await refuseBroken(checkout);
  const status = await readStatus(checkout);
  const obstacle = await obstacleTo(checkout, { base, to: tip }, status);
  if (obstacle && obstacle.kind !== 'edited') throw refusal(describeObstacle(obstacle, checkout));
  const hidden = await hiddenEdits(checkout, base, tip);
  if (hidden) throw refusal(describeObstacle({ kind: 'hidden', ...hidden }, checkout));
  const scratch = await makeTemporary('sync');
  try {
    const on = whereabouts(one);
    const where = { target, checkout, ref, base, tip, ...(on === undefined ? {} : { branch: on }) };
    const { open, env } = await begin(repo, { where, obstacle, status, conflicts, scratch }).catch(async (error) => {
      throw await beforeFiles(checkout, scratch, error);
    });
    const { files, next } = open.record;
    const paths = await changedPaths(checkout, files, next);
    const written = await ownWrites(
      checkout,
      paths.map((path) => join(checkout, path)),
      open.record.mark,
    );
    try {
      await write(git(checkout), env, open);
    } catch (error) {
      const problem = await breakOff(repo, open, error);
      // Else the next sync goes on from it.
      const isUndone = !(await unfinishedSyncs(repo)).some(({ id }) => id === open.id);
      if (isUndone) await written(notHolding(checkout, files)).catch(() => undefined);
      throw problem;
    }
    await written(notHolding(checkout, next));
    await settled(git(repo), open.record);
    return await resultOf(open.record);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Beginning {
  where: Pick<SyncRecord, 'target' | 'checkout' | 'ref' | 'base' | 'tip' | 'branch'>;
  obstacle: Obstacle | undefined;
  status: Status;
  conflicts: boolean;
  scratch: string;
}

/** Merges, saves the state before, and records what is about to be written. No file of the checkout changes. */
async function begin(
  repo: string,
  { where, obstacle, status, conflicts, scratch }: Beginning,
): Promise<{ open: OpenSync; env: { GIT_INDEX_FILE: string } }> {
  const { checkout, base, tip, target } = where;
  // A lock would stop it after the files.
  await git(checkout).result(['update-index', '-q', '--refresh'], { ok: [0, 1] });
  const env = await ownIndex(checkout, scratch);
  const { tree, ...merged } = await mergeEdits(checkout, { base, tip, target }, env, (files) => {
    if (conflicts) return;
    throw new RepositoryError(
      `Your edits and landed work change the same lines of ${some(files)} in ${checkout}. Nothing was changed.`,
      'To get both, with conflict markers to resolve: ralphctl sync --conflicts',
    );
  });
  const files = await takeInSame(checkout, { tree, next: merged.next, env });
  const save = await savePoint({ worktree: checkout, idea: CHECKOUT_SAVES, why: 'before sync', status });
  const edited = obstacle?.kind === 'edited' ? [...obstacle.paths] : [];
  const plan = { ...where, ...merged, files, merged: edited, mark: randomUUID() };
  return { open: await openSync(repo, { ...plan, ...(save ? { save } : {}) }), env };
}

/** git might take it for one of other files, too. */
async function refuseBroken(checkout: string): Promise<void> {
  const broken = await brokenIndex(checkout);
  if (broken) throw refusal(describeObstacle({ kind: 'broken', ...broken }, checkout));
}

const refusal = ({ problem, first }: { problem: string; first?: string }): RepositoryError =>
  new RepositoryError(
    `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. Nothing was changed.`,
    `${first ? `${first.charAt(0).toUpperCase()}${first.slice(1)}, then` : 'Then'} run: ralphctl sync`,
  );

/** Untracked files with the same content as the new ones do not block; others do. */
async function takeInSame(
  checkout: string,
  { tree, next, env }: { tree: string; next: string; env: Readonly<Record<string, string>> },
): Promise<string> {
  const there = await inTheWay(checkout, tree, next);
  if (there.length === 0) return tree;
  const added = new Set(await changedPaths(checkout, tree, next, ['--diff-filter=A']));
  const repo = git(checkout);
  // In the place of a folder, or in a folder in the place of a file, nothing is the same.
  const specs = there.filter((path) => added.has(path)).map((path) => `:(top,literal)${path}`);
  if (specs.length > 0) await repo.run(['add', '-f', '--sparse', '--', ...specs], { env });
  const files = await repo.run(['write-tree'], { env });
  const still = new Set(await changedPaths(checkout, files, next));
  const paths = there.filter((path) => !added.has(path) || still.has(path));
  if (paths.length > 0) throw refusal(describeObstacle({ kind: 'untracked', paths }, checkout));
  return files;
}

/** Files first: if stopped before the index, the checkout still counts as behind. */
async function write(repo: Git, index: Readonly<Record<string, string>>, { record }: OpenSync): Promise<void> {
  const mark = markOf(record);
  const env = { ...index, ...mark };
  const merge = () => repo.run(['read-tree', '-m', '-u', record.files, record.next], { env });
  const sparse = await isSparse(repo);
  await (sparse ? keepingFiles(repo, env, merge) : merge());
  await repo.run(['read-tree', '-i', '-m', record.index], { env: mark });
  if (sparse) await leaveOutAlike(repo, index, mark);
  // Only saves time later.
  await repo.result(['update-index', '-q', '--refresh'], { ok: [0, 1] }).catch(() => undefined);
}

/** The checkout is up to date, unless the branch moved meanwhile. */
async function settled(repo: Git, { target, tip, base, ref }: SyncRecord): Promise<void> {
  const record = `delete ${checkoutSyncRef(ref)}`;
  const lines = [`verify refs/heads/${target} ${tip}`, `delete ${ref} ${base}`, record];
  const done = await repo.result(['update-ref', '--stdin'], { input: `${lines.join('\n')}\n`, ok: [0, 128] });
  if (done.code !== 0) await repo.run(['update-ref', '--stdin'], { input: `update ${ref} ${tip}\n${record}\n` });
}
