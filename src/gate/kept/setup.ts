/**
 * Sets a worktree up before an agent or a gate runs in it: checks kept folders, copies files, then runs the setup
 * command.
 * Invariant: the command runs once per worktree and state of its lockfiles. A failed one never counts as done. Nothing
 * of another idea stays in the worktree.
 */

import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exclusive } from '../../git/locks.js';
import { readRegular } from '../../git/regular.js';
import { sharedGitDir } from '../../git/repository.js';
import { git } from '../../git/runner.js';
import { exists, privateGitDir } from '../../git/worktrees/list.js';
import { placeSubmodules } from '../../git/worktrees/place-submodules.js';
import { clearMark, readMark } from '../../git/worktrees/recycle.js';
import { run } from '../../process/run.js';
import type { OpenSandbox } from '../../process/sandbox/launch.js';
import { plainText } from '../ansi.js';
import { boundedTail, toArgv } from '../run.js';
import { copyFiles, SetupError } from './copy-files.js';
import { type KeptPlace, proveKept, removeKept, stampKept } from './folders.js';
import { clearKept, replaceRecord } from './stamp.js';

export { SetupError } from './copy-files.js';

export interface SetupOptions {
  worktree: string;
  /** A string goes to `/bin/sh -c`. Absent: only files are copied. */
  run?: string | readonly string[] | undefined;
  /** Ignored files to copy, as globs from the top of the repository. */
  copy: readonly string[];
  /** Top of the user's checkout, the source of `copy`. */
  from: string;
  timeoutMs: number;
  /** Takes `setup.log`. */
  logDir: string;
  /** Most bytes of it. */
  maxLogBytes?: number;
  env: Readonly<Record<string, string>>;
  /** Texts that must not reach its log. */
  secrets?: readonly string[];
  /** Opens the sandbox that it runs in. Absent: it runs as the user. */
  sandbox?: OpenSandbox | undefined;
  token: string;
  /** Folder of the state for hashes of stamps. */
  proofs: string;
  /** Build caches that stay in the worktree as they are. */
  cache?: readonly string[];
  /** Other ideas use this worktree too: its kept folders are proven first, or recreated. */
  shared?: boolean;
  /** A hint to add to the output of a failed command. */
  hint?: (said: string) => string | undefined;
  signal?: AbortSignal;
  /** Hears that the command begins. */
  onBegin?: ((command: string) => void) | undefined;
}

export interface SetupResult {
  copied: string[];
  /** The command ran now; false: it ran before, or there is none. */
  ran: boolean;
}

/** Sets a worktree up, unless it already is. Throws {@link SetupError}, or the signal's reason. */
export async function ensureSetup(options: SetupOptions): Promise<SetupResult> {
  options.signal?.throwIfAborted();
  const { worktree } = options;
  const gitDir =
    (await privateGitDir(worktree)) ?? (await git(worktree).run(['rev-parse', '--absolute-git-dir'], { read: true }));
  // A second attempt in the same worktree must not remove files of the first one's running set-up.
  return exclusive(`setup:${worktree}`, () => inPlace(options, gitDir));
}

async function inPlace(options: SetupOptions, gitDir: string): Promise<SetupResult> {
  const { worktree } = options;
  const place = { worktree, gitDir, cache: options.cache ?? [], proofs: options.proofs };
  await rebuildWhereMoved(place);
  const unproven = options.shared === true || (await readMark(gitDir, 'unproven')) !== undefined;
  if (unproven && !(await proveKept(place))) await clearStamp(gitDir);
  const moved = await submodules(options, gitDir, unproven);
  // Set-up may have built files inside them.
  if (moved) await clearStamp(gitDir);
  const copied = await copyFiles(options.from, worktree, options.copy);
  const ran = await runOnce(options, place);
  if (unproven && (ran || moved || copied.length > 0)) await stampKept(place);
  await clearMark(gitDir, 'unproven');
  return { copied, ran };
}

/** True when one of them changed its commit. */
async function submodules({ worktree, from, signal }: SetupOptions, gitDir: string, fresh: boolean): Promise<boolean> {
  const commonDir = await sharedGitDir(from);
  if (gitDir === commonDir) return false;
  return placeSubmodules({ worktree, gitDir, commonDir, from, fresh, signal });
}

/** False: it ran for this state of the lockfiles, or there is none. */
async function runOnce(options: SetupOptions, place: KeptPlace): Promise<boolean> {
  const { worktree, run } = options;
  const { gitDir } = place;
  if (!run || run.length === 0) return false;
  const key = await setupKey(worktree, run);
  if (await isSetUp(gitDir, worktree, key)) return false;
  await Promise.all([clearStamp(gitDir), clearKept(place)]);
  const before = new Set(await ignoredPaths(worktree));
  await runSetup(options, run);
  const made = (await ignoredPaths(worktree)).filter((path) => !before.has(path) || path.endsWith('/'));
  await writeStamp(gitDir, { key, made, at: await realpath(worktree) });
  return true;
}

async function runSetup(options: SetupOptions, command: string | readonly string[]): Promise<void> {
  const { signal, timeoutMs } = options;
  const shown = typeof command === 'string' ? command : command.join(' ');
  options.onBegin?.(shown);
  const log = join(options.logDir, 'setup.log');
  const ended = await run({
    argv: toArgv(command),
    cwd: options.worktree,
    places: [options.worktree],
    env: options.env,
    sandbox: options.sandbox,
    ...(options.secrets ? { secrets: options.secrets } : {}),
    outputFile: log,
    ...(options.maxLogBytes === undefined ? {} : { maxLogBytes: options.maxLogBytes }),
    timeoutMs,
    token: options.token,
    signal,
  });
  signal?.throwIfAborted();
  if (ended.exitCode === 0 && !ended.stopped) return;
  const how =
    ended.launchError ??
    (ended.stopped === 'timeout'
      ? `it took longer than ${Math.round(timeoutMs / 1000)} s`
      : `exit ${ended.exitCode ?? ended.signal}`);
  const tail = boundedTail(plainText(ended.tail).trim(), log);
  const hint = [options.hint?.(`${shown}\n${tail}`), ...(ended.refused ?? [])].filter(Boolean).join('\n');
  throw new SetupError(
    `The setup command failed in ${options.worktree} (${how}): ${shown}\n${tail.slice(-800)}\n${hint ? `${hint}\n` : ''}Full log: ${log}. Run it there by hand to see why, then retry.`,
    tail,
    log,
  );
}

/*
 * Records that a worktree is set up, and for which state.
 * Invariant: valid only while the lockfiles and the command are unchanged and all results of the set-up exist. Stored
 * at the path of then. Stored in the worktree's private git directory, so it survives `git clean` and moves along.
 */

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
  /** Path of the worktree, which set-up may have written into its files. Older stamps lack it. */
  at?: string;
}

/** In a worktree that was moved since its set-up, what set-up made is removed, so that it is made again. */
async function rebuildWhereMoved(place: KeptPlace): Promise<void> {
  const { worktree, gitDir } = place;
  const stamp = await readStamp(gitDir);
  if (stamp?.at === undefined || stamp.at === (await realpath(worktree))) return;
  const made = new Set(stamp.made);
  await removeKept(
    place,
    (await ignoredPaths(worktree)).filter((path) => made.has(path)),
  );
  await Promise.all([clearStamp(gitDir), clearKept(place)]);
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
    const stamp = JSON.parse(await readRegular(file(gitDir))) as Stamp;
    return Array.isArray(stamp.made) ? stamp : undefined;
  } catch {
    return undefined;
  }
}

export async function writeStamp(gitDir: string, stamp: Stamp): Promise<void> {
  await replaceRecord(file(gitDir), JSON.stringify({ ...stamp, made: stamp.made.slice(0, MAX_MADE) }));
}

export const clearStamp = (gitDir: string): Promise<void> => rm(file(gitDir), { force: true });
const file = (gitDir: string): string => join(gitDir, 'ralphctl-setup');

/** Ignored files and whole ignored folders of a worktree. */
export async function ignoredPaths(worktree: string): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return (await git(worktree).run(args, { read: true })).split('\0').filter(Boolean);
}
