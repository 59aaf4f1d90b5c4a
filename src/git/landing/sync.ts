/**
 * Updates a checkout that was left behind and keeps the user's edits: a three-way merge of landed work and later edits.
 * Invariant: refused, or done completely. No edit is lost, the earlier state is a save point, and staged work stays
 * staged where possible. An interrupted sync can run again. Files are written only after all refusals.
 */
import { lstat, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { identityEnv, slotAuthor, writeCommit } from '../commits.js';
import { RepositoryError } from '../errors.js';
import { readTip } from '../refs.js';
import { type Git, git } from '../runner.js';
import { ownIndex, savePoint } from '../saves/saves.js';
import { readStatus } from '../status.js';
import { changedPaths, inTheWay } from './checkout.js';
import { describeObstacle, obstacleTo } from './checkout-update.js';
import { hiddenEdits } from './hidden-edits.js';
import { checkoutsOf, laggingForSync } from './lagging.js';
import { type Merged, mergeTrees } from './merge.js';

export interface Synced {
  checkout: string;
  /** Updated paths. */
  paths: string[];
  /** Of those, the paths with merged user edits. */
  merged: string[];
  /** Files that have conflict markers now. */
  conflicts: string[];
  /** Save point of the earlier state. */
  saved?: string;
}

/** Owner of the save points. */
const SAVED_AS = 'checkout';

/**
 * Undefined: nothing is behind. `conflicts` allows conflict markers. Throws {@link RepositoryError} with the obstacle.
 */
export async function syncCheckout(repo: string, target: string, conflicts = false): Promise<Synced | undefined> {
  const tip = await readTip(repo, `refs/heads/${target}`);
  const one = (await laggingForSync(repo, target, tip)).find(({ away }) => !away);
  if (!tip || !one) return undefined;
  const { path: checkout, base, ref } = one;
  const checkouts = (await checkoutsOf(repo, target)).filter(({ away }) => !away).map(({ path }) => path);
  if (checkouts.length > 1) throw refusal(describeObstacle({ kind: 'several', checkouts }, checkout));
  const status = await readStatus(checkout);
  const obstacle = await obstacleTo(checkout, { base, to: tip }, status);
  if (obstacle && obstacle.kind !== 'edited') throw refusal(describeObstacle(obstacle, checkout));
  const hidden = await hiddenEdits(checkout, base, tip);
  if (hidden) throw refusal(describeObstacle({ kind: 'hidden', ...hidden }, checkout));
  const scratch = await makeTemporary('sync');
  try {
    const merged = await mergeEdits(checkout, { base, tip }, await ownIndex(checkout, scratch));
    if (merged.conflicts.length > 0 && !conflicts)
      throw new RepositoryError(
        `Your edits and landed work change the same lines of ${merged.conflicts.join(', ')} in ${checkout}. Nothing was changed.`,
        'To get both, with conflict markers to resolve: ralphctl sync --conflicts',
      );
    const before = await savePoint({ worktree: checkout, idea: SAVED_AS, why: 'before sync', status });
    await write(git(checkout), merged);
    await nameSides(checkout, merged, target);
    await settled(git(repo), { target, tip, base, ref });
    const edited = obstacle?.kind === 'edited' ? [...obstacle.paths] : [];
    const paths = await changedPaths(checkout, base, tip);
    return { checkout, paths, merged: edited, conflicts: merged.conflicts, saved: before || undefined };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const refusal = ({ problem, first }: { problem: string; first?: string }): RepositoryError =>
  new RepositoryError(
    `${problem.charAt(0).toUpperCase()}${problem.slice(1)}. Nothing was changed.`,
    `${first ? `${first.charAt(0).toUpperCase()}${first.slice(1)}, then` : 'Then'} run: ralphctl sync`,
  );

interface Edited {
  env: Readonly<Record<string, string>>;
  /** Trees: of the present files, of the new files, and of the new index. */
  files: string;
  next: string;
  index: string;
  conflicts: string[];
  /** Stand-in commits whose hashes git writes beside the conflict markers. */
  sides: { edits: string; landed: string };
}

async function mergeEdits(
  checkout: string,
  { base, tip }: { base: string; tip: string },
  env: Readonly<Record<string, string>>,
): Promise<Edited> {
  const repo = git(checkout);
  const who = await identityEnv(checkout);
  // Stand-ins with one parent make the remembered commit the merge base, even if history has changed.
  const standIn = async (tree: string): Promise<string> =>
    writeCommit(repo, { tree, parents: [base], author: slotAuthor('ralphctl'), message: 'stand-in\n' }, { who });
  const landed = await standIn(await repo.run(['rev-parse', `${tip}^{tree}`], { read: true }));
  const staged = await repo.run(['write-tree'], { env });
  await repo.run(['add', '-u', '--', ':/'], { env, config: ['core.safecrlf=false'] });
  const tree = await repo.run(['write-tree'], { env });
  const edits = await standIn(tree);
  const merged = await mergeTrees(repo, edits, landed);
  const conflicts = merged.kind === 'conflict' ? merged.files : [];
  const index = staged === tree ? merged : await mergeTrees(repo, await standIn(staged), landed);
  const files = await takeInSame(checkout, { tree, next: merged.tree, env });
  return { env, files, next: merged.tree, index: clean(index) ?? tip, conflicts, sides: { edits, landed } };
}

const clean = (merged: Merged): string | undefined => (merged.kind === 'clean' ? merged.tree : undefined);

/** Untracked files with the same content as the new ones do not block; others do. */
async function takeInSame(
  checkout: string,
  { tree, next, env }: { tree: string; next: string; env: Readonly<Record<string, string>> },
): Promise<string> {
  const there = await inTheWay(checkout, tree, next);
  const fresh = (await changedPaths(checkout, tree, next, ['--diff-filter=A'])).filter((path) => there.includes(path));
  if (fresh.length === 0) return tree;
  const repo = git(checkout);
  await repo.run(['add', '-f', '--', ...fresh.map((path) => `:(top,literal)${path}`)], { env });
  const files = await repo.run(['write-tree'], { env });
  const still = new Set(await changedPaths(checkout, files, next));
  const paths = fresh.filter((path) => still.has(path));
  if (paths.length > 0) throw refusal(describeObstacle({ kind: 'untracked', paths }, checkout));
  return files;
}

/** Files first: if stopped before the index, the checkout still counts as behind. */
async function write(repo: Git, { env, files, next, index }: Edited): Promise<void> {
  await repo.run(['read-tree', '-m', '-u', files, next], { env });
  await repo.run(['read-tree', '-i', '-m', index]);
  await repo.result(['update-index', '-q', '--refresh'], { ok: [0, 1] });
}

/** git labels the sides with its arguments, which must be commits. latin1 preserves each byte. */
async function nameSides(checkout: string, { conflicts, sides }: Edited, target: string): Promise<void> {
  for (const file of conflicts) {
    const path = join(checkout, file);
    if (!(await lstat(path).catch(() => undefined))?.isFile()) continue;
    const text = await readFile(path, 'latin1');
    const branch = Buffer.from(target).toString('latin1');
    const named = text.replaceAll(sides.edits, 'your edits').replaceAll(sides.landed, () => branch);
    if (named !== text) await writeFile(path, named, 'latin1');
  }
}

/** The checkout is up to date, unless the branch moved meanwhile. */
async function settled(
  repo: Git,
  { target, tip, base, ref }: { target: string; tip: string; base: string; ref: string },
): Promise<void> {
  const lines = [`verify refs/heads/${target} ${tip}`, `delete ${ref} ${base}`];
  const done = await repo.result(['update-ref', '--stdin'], { input: `${lines.join('\n')}\n`, ok: [0, 128] });
  if (done.code !== 0) await repo.run(['update-ref', ref, tip]);
}
