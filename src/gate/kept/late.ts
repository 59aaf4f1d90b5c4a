/**
 * Who writes into a worktree's kept folders after its agent has ended, and before the gate relies on them?
 * Invariant: compares a listing with one of a moment ago; it names what differs and changes nothing.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { listFiles, parseListing } from '../../process/table.js';
import { keptPaths } from './stamp.js';

/** In the folder of an iteration. */
export const KEPT_FILE = 'kept.txt';
const MOST_NAMED = 5;

const listKept = async (worktree: string): Promise<string> => listFiles(worktree, await keptPaths(worktree));

/** Call when nothing works in the worktree any more. `file` is out of an agent's reach. */
export async function noteKept(worktree: string, file: string): Promise<void> {
  await writeFile(file, await listKept(worktree));
}

/** Paths that changed since {@link noteKept}, once: the gate itself may write there. Undefined when nothing was noted. */
export async function changedSinceNoted(worktree: string, file: string): Promise<string[] | undefined> {
  const noted = await readFile(file, 'utf8').catch(() => undefined);
  if (noted === undefined) return undefined;
  await rm(file, { force: true });
  const listing = await listKept(worktree);
  if (listing === noted) return [];
  const [was, is] = [parseListing(noted), parseListing(listing)];
  const same = (path: string): boolean => {
    const [before, after] = [was.get(path), is.get(path)];
    // A folder's own time shows in what lies in it.
    return JSON.stringify(before) === JSON.stringify(after) || (before?.kind === 'd' && after?.kind === 'd');
  };
  const paths = new Set([...was.keys(), ...is.keys()]);
  return [...paths].filter((path) => !same(path)).slice(0, MOST_NAMED);
}
