/**
 * Edits that `git status` leaves out: of files marked assume-unchanged or skip-worktree. git neither overwrites such a file
 * nor says why it does not.
 * Invariant: reads only.
 */
import { rm } from 'node:fs/promises';
import { makeTemporary } from '../../process/temporary.js';
import { git } from '../runner.js';
import { ownIndex } from '../saves/saves.js';
import { exists } from '../worktrees/list.js';
import { changedPaths } from './checkout.js';

/** Paths by their mark; one with both marks is in both. */
export interface Hidden {
  assumed: readonly string[];
  skipped: readonly string[];
}

/** Paths that change from `base` to `to`, and that the user has edited behind a mark. */
export async function hiddenEdits(checkout: string, base: string, to: string): Promise<Hidden | undefined> {
  const marked = await markedPaths(checkout);
  if (marked.assumed.size + marked.skipped.size === 0) return undefined;
  const all = new Set([...marked.assumed, ...marked.skipped]);
  const moving = (await changedPaths(checkout, base, to)).filter((path) => all.has(path));
  const edited = moving.length > 0 ? await editedOf(checkout, moving) : new Set<string>();
  const of = (marks: ReadonlySet<string>): string[] => moving.filter((path) => edited.has(path) && marks.has(path));
  return edited.size > 0 ? { assumed: of(marked.assumed), skipped: of(marked.skipped) } : undefined;
}

/** The letter of a path is small where it is assumed unchanged, and S where its file is skipped. */
async function markedPaths(checkout: string): Promise<{ assumed: Set<string>; skipped: Set<string> }> {
  const { stdout } = await git(checkout).result(['ls-files', '-v', '-z', '--full-name', ':/'], { read: true });
  const [assumed, skipped] = [new Set<string>(), new Set<string>()];
  for (const line of stdout.split('\0')) {
    const [letter = '', path] = [line.slice(0, 1), line.slice(2)];
    if (/[a-z]/.test(letter)) assumed.add(path);
    if (/s/i.test(letter)) skipped.add(path);
  }
  return { assumed, skipped };
}

/** Without their marks, git compares them. A file that is not there is in nobody's way. */
async function editedOf(checkout: string, paths: readonly string[]): Promise<Set<string>> {
  const scratch = await makeTemporary('marks');
  try {
    const env = await ownIndex(checkout, scratch);
    const repo = git(checkout);
    const input = `${paths.join('\0')}\0`;
    for (const flag of ['--no-assume-unchanged', '--no-skip-worktree'])
      await repo.run(['update-index', flag, '-z', '--stdin'], { env, input });
    await repo.result(['update-index', '-q', '--refresh'], { env, ok: [0, 1] });
    const { stdout } = await repo.result(['diff-files', '--name-only', '-z'], { env, read: true });
    const changed = new Set(stdout.split('\0').filter(Boolean));
    const found = new Set<string>();
    for (const path of paths) if (changed.has(path) && (await exists(`${checkout}/${path}`))) found.add(path);
    return found;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
