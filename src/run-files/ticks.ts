/**
 * The place of a backlog file relative to the repository, and ticks in a file that git does not track.
 * Invariant: a tracked file of the user's checkout is never written; its tick is part of the landing commit.
 */
import { readFile, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { tickAll } from '../backlog/tick.js';
import { git } from '../git/runner.js';
import type { Idea } from '../protocol/idea.js';
import { writeAtomically } from './run.js';
import type { RunFile } from './shapes.js';

/** Path inside the repository, with forward slashes; undefined when the file lies outside. */
export function repositoryPath(repo: string, file: string): string | undefined {
  const path = relative(repo, file);
  if (path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
  return path.split(sep).join('/');
}

/**
 * Sets or removes ticks in the user's own backlog file when no commit can contain it: the file is untracked or
 * elsewhere.
 */
export async function tickUntracked(run: RunFile, ideas: readonly string[], done = true): Promise<void> {
  const inside = repositoryPath(run.repo, run.backlog.file);
  if (inside !== undefined) {
    const tracked = await git(run.repo).run(['ls-files', '--', inside]);
    if (tracked.trim() !== '') return;
  }
  const exists = await stat(run.backlog.file).catch(() => undefined);
  if (!exists?.isFile()) return;
  const text = await readFile(run.backlog.file, 'utf8');
  const ticked = tickAll(run.backlog.file, text, ideas, done);
  if (ticked !== undefined) await writeAtomically(run.backlog.file, ticked, exists.mode & 0o777);
}

/* Which ideas of a run need no work: ticked, or on the target; unless a person wants them again. Which ticks disagree with that. Pure. */

export function needNoWork(
  ideas: Iterable<Idea>,
  onTarget: ReadonlySet<string>,
  again: readonly string[] = [],
): string[] {
  return [...ideas].filter(({ id, done }) => !again.includes(id) && (done || onTarget.has(id))).map(({ id }) => id);
}

/** Blues that are ticked although ideas in them are open, with those ideas: they do not count as landed (A4). */
export function tickedTooEarly(
  ideas: Iterable<Idea>,
  needNone: ReadonlySet<string>,
): { blue: string; open: string[] }[] {
  const all = new Map([...ideas].map((idea) => [idea.id, idea]));
  const early = new Map<string, string[]>();
  for (const { id, parent, blue } of all.values()) {
    if (blue || needNone.has(id)) continue;
    const seen = new Set<string>();
    for (let up = parent; up !== undefined && !seen.has(up); up = all.get(up)?.parent) {
      seen.add(up);
      const above = all.get(up);
      if (above?.blue && above.done) early.set(up, [...(early.get(up) ?? []), id]);
    }
  }
  return [...early].map(([blue, open]) => ({ blue, open }));
}
