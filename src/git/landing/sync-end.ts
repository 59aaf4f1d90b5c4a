/**
 * Ends a sync that was broken off: the files go back to the state before. Where the index was written, too, all of it was
 * done but the record.
 * Invariant: no edit is overwritten, and the caller learns the save of the state before.
 */
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { shellQuoted } from '../../protocol/shell-words.js';
import { RepositoryError } from '../errors.js';
import { readTip } from '../refs.js';
import { sharedGitDir } from '../repository.js';
import { GitError, git } from '../runner.js';
import { CHECKOUT_SAVES, savePoint } from '../saves/saves.js';
import { readStatus } from '../status.js';
import { exists } from '../worktrees/list.js';
import { changedPaths, isBehind, stagedPaths } from './checkout.js';
import { unlike } from './half-done.js';
import { type Checkout, reachedBy } from './lagging.js';
import { bringTo } from './sync-files.js';
import { closeSync, markOf, type OpenSync, type SyncRecord, saveName } from './sync-record.js';

/** Finished: files and index are as that sync meant them. Left: a person has done something else since. */
export interface Ended {
  how: 'undone' | 'finished' | 'left';
  /** The broken state, where a file in it may be a person's: a beginning of the one that is there again. */
  half?: { save: string; paths: string[] };
}

/** `now`: where the checkout is. */
export async function endSync(repo: string, open: OpenSync, now: Checkout | undefined): Promise<Ended> {
  const how = await endingOf(repo, open.record, now);
  let half: Ended['half'];
  if (how === 'undone' && now) {
    const record = { ...open.record, checkout: now.path };
    await putBack(record, async (cutOff) => {
      if (cutOff.size === 0) return;
      const save = await savePoint({ worktree: now.path, idea: CHECKOUT_SAVES, why: 'a sync was interrupted' });
      if (save) half = { save, paths: [...cutOff] };
    }).catch(async (error: unknown) => {
      throw await stillHalf(record, error);
    });
  }
  // A finished one ends with what the branch is known for.
  if (how !== 'finished') await closeSync(repo, open);
  return half ? { how, half } : { how };
}

async function endingOf(repo: string, record: SyncRecord, now: Checkout | undefined): Promise<Ended['how']> {
  const { base, tip, target, files, next, staged, index } = record;
  const last = await readTip(repo, `refs/heads/${target}`);
  const branch = last && now && (await reachedBy(now, last));
  // A landing that brought it along, but for the backlog, remembers another commit.
  if (!branch || !now || now.base !== base) return 'left';
  const { path: checkout } = now;
  const turned = await changedPaths(checkout, staged, index);
  const offIndex = await stagedPaths(checkout, index);
  const moves = await changedPaths(checkout, files, next);
  // The files come first. A reset of the index in the half of it has the same index, but not the files.
  const indexDone = branch === tip && turned.length > 0 && !turned.some((path) => offIndex.has(path));
  const half = await isHalf(checkout, files, moves);
  if (indexDone && !half) return 'finished';
  return half || (await isBehind(checkout, base, branch)) ? 'undone' : 'left';
}

/** Of a person who has taken the branch, or stashed all, the files are as in the index, or other than before. */
async function isHalf(checkout: string, files: string, moves: readonly string[]): Promise<boolean> {
  const { tracked } = await readStatus(checkout);
  const edited = new Set(tracked.filter(({ unstaged }) => unstaged !== '.').map(({ path }) => path));
  const open = moves.filter((path) => edited.has(path));
  const there = await Promise.all(open.map((path) => exists(join(checkout, path))));
  if (there.includes(false)) return true;
  const off = open.length > 0 ? await unlike(checkout, files, open) : new Set<string>();
  return open.some((path) => !off.has(path));
}

async function putBack(
  record: SyncRecord,
  first: (cutOff: ReadonlySet<string>) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { checkout, files, next } = record;
  await bringTo(
    checkout,
    { from: next, to: files },
    {
      mark: markOf(record),
      first: async (cutOff) => {
        await first(cutOff);
        await unstage(record, cutOff);
      },
    },
  );
}

/** What a person staged of the half of it: the staged version before comes back. */
async function unstage(
  { checkout, files, next, staged, index }: SyncRecord,
  cutOff: ReadonlySet<string>,
): Promise<void> {
  const moves = new Set([
    ...(await changedPaths(checkout, files, next)),
    ...(await changedPaths(checkout, staged, index)),
  ]);
  const [offStaged, offNext, offIndex] = [
    await stagedPaths(checkout, staged),
    await stagedPaths(checkout, next),
    await stagedPaths(checkout, index),
  ];
  const run = git(checkout);
  const listed = await run.result(['ls-files', '-z', '--full-name', ':/'], { read: true });
  const there = new Set(listed.stdout.split('\0'));
  const ours = (path: string): boolean =>
    !there.has(path) || !offNext.has(path) || !offIndex.has(path) || cutOff.has(path);
  const back = [...offStaged].filter((path) => moves.has(path) && ours(path));
  if (back.length === 0) return;
  const tree = await run.result(['ls-tree', '-r', '-z', '--full-tree', staged], { read: true });
  const wanted = new Set(back);
  const old = tree.stdout.split('\0').filter((line) => wanted.has(line.slice(line.indexOf('\t') + 1)));
  const known = new Set(old.map((line) => line.slice(line.indexOf('\t') + 1)));
  const gone = back.filter((path) => !known.has(path)).map((path) => `0 ${'0'.repeat(staged.length)}\t${path}`);
  await run.run(['update-index', '-z', '--index-info'], { input: [...gone, ...old, ''].join('\0') });
}

/** After a failed write. @returns the error to throw */
export async function breakOff(repo: string, open: OpenSync, error: unknown): Promise<Error> {
  const { record } = open;
  // Before the undo makes room.
  const full = await isFull(record.checkout, error);
  try {
    await putBack(record);
  } catch (second) {
    return stillHalf(record, second, full);
  }
  // With it, the next sync finds that nothing is to be undone.
  await closeSync(repo, open).catch(() => undefined);
  return problem(record, error, full, 'Every file there is as before.', 'run: ralphctl sync');
}

async function stillHalf(record: SyncRecord, error: unknown, full = false): Promise<Error> {
  return problem(
    record,
    error,
    full || (await isFull(record.checkout, error)),
    `A sync there is half done; the state before, with your edits, is save ${saveName(record)}.`,
    'run: ralphctl sync. It puts the files back first',
  );
}

function problem(
  { checkout }: SyncRecord,
  error: unknown,
  full: boolean,
  state: string,
  then: string,
): RepositoryError {
  if (full) return fullDisk(checkout, `so git could not write all files. ${state}`, error, then);
  const said = (error instanceof RepositoryError ? error.problem : (error as Error).message).replace(/[.\s]*$/, '');
  const first = error instanceof RepositoryError ? `${error.fix.replace(/[.\s]*$/, '')}. Then` : 'Fix that, then';
  return new RepositoryError(`${said}. ${state}`, `${first} ${then}`, { cause: error });
}

const NO_ROOM = /No space left on device|Disk quota exceeded|Out of diskspace/i;
const NOT_WRITTEN =
  /unable to (?:write|create)|failed to (?:write|insert)|write error|cannot lock ref|could(?:n't| not) write/i;
/** git does not say why it could not write a file. */
const LITTLE = 1 << 20;

/** The error about a disk that was full before the sync wrote a file; else what it was. */
export async function beforeFiles(checkout: string, scratch: string, error: unknown): Promise<unknown> {
  if (!maySayFull(error)) return error;
  const common = await sharedGitDir(checkout).catch(() => checkout);
  const full: string[] = [];
  for (const place of [checkout, common, scratch]) if (await hasNoRoom(place)) full.push(place);
  // Room that came back meanwhile changes nothing of the reason.
  if (full.length === 0 && !NO_ROOM.test(saidBy(error))) return error;
  return fullDisk(full[0] ?? checkout, 'so git could not begin to merge your edits. Nothing was changed.', error);
}

const fullDisk = (place: string, state: string, cause: unknown, then = 'run: ralphctl sync'): RepositoryError =>
  new RepositoryError(
    `The disk of ${place} is full, ${state}`,
    `Free disk space (df -h ${shellQuoted(place)}), then ${then}`,
    { cause },
  );

function saidBy(error: unknown): string {
  if (error instanceof GitError) return error.stderr;
  const { message, cause } = error as Error;
  return cause instanceof GitError ? cause.stderr : message;
}

const maySayFull = (error: unknown): boolean => NO_ROOM.test(saidBy(error)) || NOT_WRITTEN.test(saidBy(error));

async function hasNoRoom(place: string): Promise<boolean> {
  const about = await statfs(place).catch(() => undefined);
  return about !== undefined && (about.bavail * about.bsize < LITTLE || (about.files > 0 && about.ffree < 1));
}

async function isFull(checkout: string, error: unknown): Promise<boolean> {
  if (NO_ROOM.test(saidBy(error))) return true;
  return maySayFull(error) && hasNoRoom(checkout);
}
