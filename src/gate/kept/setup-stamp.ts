/**
 * Records that a worktree is set up, and for which state.
 * Invariant: valid only while the lockfiles and the command are unchanged and all results of the set-up exist. Stored
 * in the worktree's private git directory, so it survives `git clean` and moves along.
 */
import { createHash } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../../git/runner.js';
import { exists } from '../../git/worktrees/list.js';

const LOCKFILES = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'Pipfile.lock',
  'requirements*.txt',
  'Gemfile.lock',
  'go.sum',
  'Cargo.lock',
  'composer.lock',
  'mix.lock',
  'gradle.lockfile',
  'packages.lock.json',
  'pubspec.lock',
  'Package.resolved',
  'flake.lock',
];
const MAX_MADE = 2000;

interface Stamp {
  key: string;
  /** Ignored files and folders from the set-up, relative to the top. */
  made: string[];
}

/** Hash of the command and of all tracked lockfiles. */
export async function setupKey(worktree: string, command: string | readonly string[]): Promise<string> {
  const specs = LOCKFILES.map((name) => `:(top,glob)**/${name}`);
  const files = await git(worktree).run(['ls-files', '-s', '-z', '--', ...specs], { read: true });
  return createHash('sha256').update(JSON.stringify(command)).update('\0').update(files).digest('hex');
}

export async function isSetUp(gitDir: string, worktree: string, key: string): Promise<boolean> {
  const stamp = await readStamp(gitDir);
  if (stamp?.key !== key) return false;
  const there = await Promise.all(stamp.made.map((path) => exists(join(worktree, path))));
  return there.every(Boolean);
}

async function readStamp(gitDir: string): Promise<Stamp | undefined> {
  try {
    const stamp = JSON.parse(await readFile(file(gitDir), 'utf8')) as Stamp;
    return Array.isArray(stamp.made) ? stamp : undefined;
  } catch {
    return undefined;
  }
}

export async function writeStamp(gitDir: string, stamp: Stamp): Promise<void> {
  await writeFile(`${file(gitDir)}.new`, JSON.stringify({ ...stamp, made: stamp.made.slice(0, MAX_MADE) }));
  await rename(`${file(gitDir)}.new`, file(gitDir));
}

export const clearStamp = (gitDir: string): Promise<void> => rm(file(gitDir), { force: true });
const file = (gitDir: string): string => join(gitDir, 'ralphctl-setup');

/** Ignored files and whole ignored folders of a worktree. */
export async function ignoredPaths(worktree: string): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return (await git(worktree).run(args, { read: true })).split('\0').filter(Boolean);
}
