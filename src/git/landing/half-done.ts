/**
 * An update of a checkout that git broke off: it found nothing in its way, wrote some files, and then failed at one (a full
 * disk, a filter). The index is as before, so what it wrote looks like edits.
 * Invariant: puts back only files that git itself left behind: whole, cut off with their name in git's words, or removed.
 */

import { lstat, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { git } from '../runner.js';
import { ownIndex } from '../saves/saves.js';
import { exists } from '../worktrees/list.js';
import { changedPaths, stagedPaths } from './checkout.js';

/** In these cases git has written nothing. */
const REFUSED = /would be (?:overwritten|removed)|would lose|not uptodate|index\.lock': /;
const CUT_OFF = /unable to write file (.+?)(?:: [A-Z][^:\n]*)?$/gm;

interface Broken {
  /** The commit of the files before, and the one that git was writing. */
  base: string;
  to: string;
  stderr: string;
}

export async function undoHalf(checkout: string, { base, to, stderr }: Broken): Promise<void> {
  if (REFUSED.test(stderr)) return;
  const [moving, added, staged] = await Promise.all([
    changedPaths(checkout, base, to),
    changedPaths(checkout, base, to, ['--diff-filter=A']),
    stagedPaths(checkout, base),
  ]);
  const open = moving.filter((path) => !staged.has(path));
  const [off, written] = await Promise.all([unlike(checkout, base, open), unlike(checkout, to, open)]);
  const cutOff = new Set([...stderr.matchAll(CUT_OFF)].map(([, path]) => path));
  const isNew = new Set(added);
  const there = await Promise.all(open.map((path) => exists(join(checkout, path))));
  // Like `to`, absent, or cut off: nothing that a person could have written meanwhile.
  const ours = open.filter((path, i) => off.has(path) && (!there[i] || !written.has(path) || cutOff.has(path)));
  // First, for the room.
  for (const path of ours) if (isNew.has(path)) await removeFile(join(checkout, path));
  for (const path of added) await removeEmpty(checkout, dirname(path));
  const old = ours.filter((path) => !isNew.has(path));
  if (old.length === 0) return;
  await git(checkout).run(['checkout-index', '-f', '-z', '--stdin'], { input: `${old.join('\0')}\0` });
}

/** Of the paths, those whose file is not as in the commit. */
export async function unlike(checkout: string, commit: string, paths: readonly string[]): Promise<Set<string>> {
  const scratch = await makeTemporary('half');
  try {
    const env = await ownIndex(checkout, scratch);
    const repo = git(checkout);
    // Keeps what is known of the files, so that only changed ones are read; -m refuses over them.
    await repo.run(['read-tree', '--reset', commit], { env });
    await repo.result(['update-index', '-q', '--refresh'], { env, ok: [0, 1] });
    const { stdout } = await repo.result(['diff-files', '--name-only', '-z'], { env, read: true });
    const found = new Set(stdout.split('\0').filter(Boolean));
    const { stdout: listed } = await repo.result(['ls-files', '-z', '--full-name', ':/'], { env, read: true });
    const known = new Set(listed.split('\0'));
    // A file that the commit does not have is unlike it where it exists.
    for (const path of paths) if (!known.has(path) && (await exists(join(checkout, path)))) found.add(path);
    return found;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

export async function removeFile(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined))?.isDirectory()) return;
  await rm(path, { force: true });
}

/** git makes the folders before the files. */
export async function removeEmpty(checkout: string, folder: string): Promise<void> {
  for (let at = folder; at !== '.'; at = dirname(at)) {
    const goesOn = await rmdir(join(checkout, at)).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (!goesOn) return;
  }
}
