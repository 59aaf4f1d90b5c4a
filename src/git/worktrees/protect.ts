/**
 * Protected paths: restored before the checks of an agent's work.
 * Invariant: the agent's version stays in a save point. A nested repository, which no save point can hold, is moved out
 * of the worktree.
 */
import { lstat, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { git } from '../runner.js';
import { savePoint } from '../saves/saves.js';
import { freeName } from './leftovers.js';

/**
 * Restores the matches of `globs` (git globs, relative to the top). Returns the sorted paths, each with its copy if it
 * is not in the save point. Changes are staged.
 */
export async function restoreProtected(input: {
  worktree: string;
  idea: string;
  base: string;
  globs: readonly string[];
}): Promise<string[]> {
  const { worktree, idea, base, globs } = input;
  if (globs.length === 0) return [];
  const { run } = git(worktree);
  const specs = globs.map((glob) => `:(top,glob)${glob}`);
  const [changed, fresh] = await Promise.all([
    run(['diff', '-z', '--name-status', '--no-renames', '--no-ext-diff', base, '--', ...specs], { read: true }),
    run(['ls-files', '-z', '--others', '--exclude-standard', '--', ...specs], { read: true }),
  ]);
  const fields = changed.split('\0');
  const old: string[] = [];
  const added = fresh.split('\0').filter(Boolean);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = fields[at + 1];
    if (path) (fields[at] === 'A' ? added : old).push(path);
  }
  if (old.length + added.length === 0) return [];
  await savePoint({ worktree, idea, why: 'protected paths were put back' });
  const literal = (paths: readonly string[]): string => paths.map((path) => `:(top,literal)${path}\0`).join('');
  const fromStdin = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  if (old.length > 0) await run(['checkout', '-q', base, ...fromStdin], { input: literal(old) });
  if (added.length > 0) {
    await run(['rm', '-q', '-f', '--cached', '--ignore-unmatch', ...fromStdin], { input: literal(added) });
    const gone: string[] = [];
    // One after another: two folders of one name must not get the same place.
    for (const path of added) gone.push(await takeAway(worktree, path));
    return [...old, ...gone].sort();
  }
  return old.sort();
}

/** A file is deleted, because the save point has it. A folder is a nested repository. */
async function takeAway(worktree: string, path: string): Promise<string> {
  const full = join(worktree, path);
  if (!(await lstat(full).catch(() => undefined))?.isDirectory()) {
    await rm(full, { force: true });
    return path;
  }
  const aside = await freeName(`${worktree}.${basename(path)}`);
  await rename(full.replace(/\/$/, ''), aside);
  return `${path} (a repository of its own, kept in ${aside})`;
}
