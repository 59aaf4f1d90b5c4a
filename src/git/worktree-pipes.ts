/**
 * Named pipes, sockets and devices that an agent put into a worktree where git opens a file: git waits there for ever,
 * or fails at a tracked path that is one of them.
 * Nothing looks for them before git runs: a look at each folder of a worktree costs seconds where dependencies are
 * installed, and nearly no worktree has one. The runner looks when a git takes long, or failed at such a path
 * (watched.ts, runner.ts). Git opens `.gitignore` and its like in all folders that it does not ignore, so only a look
 * at all folders finds them.
 * Invariant: opens none of them. Removes them only below folders of ralphctl, and only where git would open them: any
 * other pipe is harmless to git, and stays. A tracked file comes back as it is in the index.
 */
import { existsSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { entriesOf } from './regular.js';

/** Runs git in a folder, without a look at pipes. */
export type RawGit = (
  dir: string,
  args: readonly string[],
  input?: string,
) => Promise<{ code: number; stdout: string }>;

/** Git reads these in each folder, whether it knows them or not. */
const READ_BY_NAME = /^(?:\.gitignore|\.gitattributes|\.gitmodules)$/;
/** How many folders are read at a time. */
const AT_ONCE = 16;
const FAILED_AT = /can only add regular files|unsupported file type|cannot hash /;

const folders = new Set<string>();
const removed = new Map<string, string[]>();

/** Agents work below these folders: what git would wait at there may be removed. */
export function agentsWorkIn(paths: readonly string[]): void {
  for (const path of paths) folders.add(resolve(path));
}

/** What was removed from this worktree since the last call: its paths, for the idea. */
export function takeRemovedPipes(worktree: string): string[] {
  const key = realpathSync(worktree);
  const paths = removed.get(key) ?? [];
  removed.delete(key);
  return [...new Set(paths)].sort();
}

/** Whether git failed because a tracked file is none any more. `stderr` in English. */
export const failedAtPipe = (stderr: string): boolean => FAILED_AT.test(stderr);

/** The worktrees of agents that a command reads: that of its folder, and those that its arguments name. */
export function worktreesOf(dir: string, args: readonly string[]): string[] {
  return [dir, ...args.filter((arg) => isAbsolute(arg))].flatMap((path) => topOf(path) ?? []);
}

function topOf(path: string): string | undefined {
  for (let at = resolve(path); ; at = dirname(at)) {
    const ours = [...folders].some((folder) => at === folder || at.startsWith(`${folder}/`));
    if (!ours) return undefined;
    if (existsSync(join(at, '.git'))) return at;
  }
}

/** One look at a time for each worktree: many commands may wait at the same pipe. */
const looks = new Map<string, Promise<string[]>>();

/** Those of a worktree at which git waits or fails, relative to it. */
export function pipesForGit(worktree: string, git: RawGit): Promise<string[]> {
  const look = looks.get(worktree) ?? findForGit(worktree, git).finally(() => looks.delete(worktree));
  looks.set(worktree, look);
  return look;
}

async function findForGit(worktree: string, git: RawGit): Promise<string[]> {
  const all = await findSpecial(worktree);
  if (all.length === 0) return [];
  const tracked = new Set(await trackedAmong(worktree, all, git));
  return all.filter((path) => tracked.has(path) || opensByName(path));
}

function opensByName(path: string): boolean {
  const names = path.split('/');
  // Git looks into a nested repository to know that it is one.
  return READ_BY_NAME.test(names.at(-1) ?? '') || names.slice(0, -1).includes('.git');
}

async function trackedAmong(worktree: string, paths: readonly string[], git: RawGit): Promise<string[]> {
  const known = await git(worktree, ['ls-files', '-z', '--cached', '--', ...paths.slice(0, MOST_NAMED).map(literal)]);
  return known.code === 0 ? known.stdout.split('\0').filter(Boolean) : [];
}

const MOST_NAMED = 200;
const literal = (path: string): string => `:(top,literal)${path}`;

/** Removes them. What git tracks comes back as it is in the index. */
export async function removePipes(worktree: string, paths: readonly string[], git: RawGit): Promise<void> {
  const tracked = await trackedAmong(worktree, paths, git);
  for (const path of paths) await rm(join(worktree, path), { force: true });
  if (tracked.length > 0) {
    const names = tracked.map((path) => `${path}\0`).join('');
    await git(worktree, ['checkout-index', '-f', '-q', '-z', '--stdin'], names);
  }
  const key = realpathSync(worktree);
  removed.set(key, [...(removed.get(key) ?? []), ...paths]);
}

/** Every pipe, socket and device below `dir`. Follows no link. */
async function findSpecial(dir: string): Promise<string[]> {
  const found: string[] = [];
  const open = [dir];
  const one = async (): Promise<void> => {
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const entry of await entriesOf(at)) {
        if (entry.isDirectory()) open.push(join(at, entry.name));
        else if (!entry.isFile() && !entry.isSymbolicLink()) found.push(relative(dir, join(at, entry.name)));
      }
    }
  };
  while (open.length > 0) await Promise.all(Array.from({ length: AT_ONCE }, one));
  return found.sort();
}
