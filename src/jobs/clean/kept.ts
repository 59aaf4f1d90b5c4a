/**
 * What is in the folder of worktrees and is none: what was moved out of their places, and folders that git no longer
 * knows.
 * Invariant: under the lock of the closed project, as `git-work.ts`. What may hold work stays, and is told.
 */
import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { keptIsOld } from '../../decide/retention/what-goes.js';
import { isGitDir, saveCommits, tooManyKept } from '../../git/worktrees/kept-repositories.js';
import { listWorktrees, privateGitDir } from '../../git/worktrees/list.js';
import { isKeptPlace, unlinkPlace } from '../../git/worktrees/places.js';
import { readMark } from '../../git/worktrees/recycle.js';
import { unregistered, unsavedIn } from '../../git/worktrees/unregistered.js';
import type { CleanedItem } from '../../protocol/retention.js';
import { shellWord } from '../../protocol/shell-words.js';
import type { Cleaning } from './clean.js';
import { whileClosed } from './closed.js';
import { deleteAway, sizeOf, takeAway } from './own.js';

/**
 * A link goes with its age. Of a folder nobody knows whether it holds work, so it is told.
 */
export async function cleanKept(cleaning: Cleaning, folder: string): Promise<void> {
  const { rules, now, out, place } = cleaning;
  if (!place) return;
  const known = new Set((await listWorktrees(place.repo)).map(({ path }) => path));
  await cleanRepositories(cleaning, folder);
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const path = join(folder, name);
    if (cleaning.stop()) return;
    if (!isKeptPlace(name) || known.has(path)) continue;
    const about = await lstat(path).catch(() => undefined);
    if (!about || !keptIsOld(Math.max(about.mtimeMs, about.ctimeMs), rules, now.getTime())) continue;
    if (about.isSymbolicLink()) {
      const drop = (): Promise<boolean> => unlink(path).then(() => true);
      if (cleaning.dryRun || (await whileClosed(cleaning, drop)))
        cleaning.done({
          what: 'leftover',
          name: path,
          bytes: 0,
          why: 'a link that an agent put in place of its worktree',
        });
    } else {
      const what = (await isGitDir(path))
        ? 'an agent made this repository in the place of the .git of its worktree'
        : 'ralphctl moved it out of the place of a worktree';
      out.told.push(
        `${path} stays: ${what}, and it may hold work. If you need nothing of it: rm -r ${shellWord(path)}`,
      );
    }
  }
}

/** Bounds those that agents made: a worker does, too, when it moves another one aside. */
async function cleanRepositories(cleaning: Cleaning, folder: string): Promise<void> {
  const { place, out } = cleaning;
  const names = (await readdir(folder).catch(() => [])).filter(isKeptPlace);
  for (const name of new Set(names.map((one) => one.replace(/\.kept-\d+$/, '')))) {
    const of = join(folder, name);
    for (const { path, same } of await tooManyKept(of)) {
      if (cleaning.stop() || !place) return;
      const gitDir = await privateGitDir(of);
      const idea = gitDir && (await readMark(gitDir, 'idea'));
      // Nobody knows whose it is.
      if (same === undefined && idea === undefined) continue;
      const why = same === undefined ? `an older one; saves of ${idea} have its commits` : `${same} is the same`;
      const item: CleanedItem = { what: 'kept', name: path, bytes: await sizeOf(path, cleaning.stop), why };
      await out.trying(path, () =>
        dropFolder(cleaning, item, async () => same !== undefined || saveCommits(place.repo, idea ?? '', path)),
      );
    }
  }
}

/** Whatever its age: all that goes is in a commit. Ignored files go with it. */
export async function cleanUnregistered(cleaning: Cleaning, folder: string): Promise<void> {
  const { rules, out, place } = cleaning;
  if (!place || rules.worktreeDays === 'never') return;
  for (const path of await unregistered(place.repo, folder)) {
    if (cleaning.stop()) return;
    if (!(await out.mayClean(path))) continue;
    await out.trying(path, async () => {
      const unsaved = await unsavedIn(place.repo, path);
      if (unsaved !== undefined) {
        out.told.push(
          `${path} stays: git has no such worktree any more, and ${unsaved}. If you need nothing of it: rm -r ${shellWord(path)}`,
        );
        return;
      }
      const why = 'git has no such worktree any more, and a commit has all of its files';
      const item: CleanedItem = { what: 'worktree', name: path, bytes: await sizeOf(path, cleaning.stop), why };
      await dropFolder(cleaning, item, async () => (await unsavedIn(place.repo, path)) === undefined);
    });
  }
}

/** `may`: the last look, under the lock. */
async function dropFolder(cleaning: Cleaning, item: CleanedItem, may: () => Promise<boolean>): Promise<void> {
  let aside: string | undefined;
  const drop = async (): Promise<boolean> => {
    if (!(await may())) return false;
    aside = await takeAway(item.name);
    await unlinkPlace(item.name);
    return true;
  };
  if (!cleaning.dryRun && !(await whileClosed(cleaning, drop))) return;
  cleaning.done(item);
  if (aside !== undefined) await deleteAway(aside);
}
