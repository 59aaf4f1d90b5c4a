/**
 * Making a worktree workable before an agent or a gate runs in it: copied files, then the setup command.
 * Invariant: the command runs once per worktree and state of its lockfiles; a failed one is never taken for done.
 */
import { join } from 'node:path';
import { git } from '../git/git.js';
import { privateGitDir } from '../git/worktree-list.js';
import { run } from '../process/run.js';
import { plainText } from './ansi.js';
import { copyFiles } from './copy-files.js';
import { boundedTail, toArgv } from './run-gate.js';
import { SetupError } from './setup-error.js';
import { clearStamp, ignoredPaths, isSetUp, setupKey, writeStamp } from './setup-stamp.js';

export { SetupError } from './setup-error.js';

export interface SetupOptions {
  worktree: string;
  /** A string goes to `/bin/sh -c`. Absent: only files are copied. */
  run?: string | readonly string[] | undefined;
  /** Ignored files to bring along, as globs from the top of the repository. */
  copy: readonly string[];
  /** Top of the user's checkout, where `copy` is looked up. */
  from: string;
  timeoutMs: number;
  /** Takes `setup.log`. */
  logDir: string;
  env: Readonly<Record<string, string>>;
  token: string;
  /** Something to add to what a failed command said. */
  hint?: (said: string) => string | undefined;
  signal?: AbortSignal;
}

export interface SetupResult {
  copied: string[];
  /** The command ran now; false: it had run before, or there is none. */
  ran: boolean;
}

/** Sets a worktree up, if it is not already. Throws {@link SetupError}, or the signal's reason. */
export async function ensureSetup(options: SetupOptions): Promise<SetupResult> {
  options.signal?.throwIfAborted();
  const copied = await copyFiles(options.from, options.worktree, options.copy);
  if (!options.run || options.run.length === 0) return { copied, ran: false };
  const { worktree } = options;
  const gitDir =
    (await privateGitDir(worktree)) ?? (await git(worktree).run(['rev-parse', '--absolute-git-dir'], { read: true }));
  const key = await setupKey(worktree, options.run);
  if (await isSetUp(gitDir, worktree, key)) return { copied, ran: false };
  await clearStamp(gitDir);
  const before = new Set(await ignoredPaths(worktree));
  await runSetup(options, options.run);
  const made = (await ignoredPaths(worktree)).filter((path) => !before.has(path) || path.endsWith('/'));
  await writeStamp(gitDir, { key, made });
  return { copied, ran: true };
}

async function runSetup(options: SetupOptions, command: string | readonly string[]): Promise<void> {
  const { signal, timeoutMs } = options;
  const log = join(options.logDir, 'setup.log');
  const ended = await run({
    argv: toArgv(command),
    cwd: options.worktree,
    env: options.env,
    outputFile: log,
    timeoutMs,
    token: options.token,
    ...(signal ? { signal } : {}),
  });
  signal?.throwIfAborted();
  if (ended.exitCode === 0 && !ended.stopped) return;
  const shown = typeof command === 'string' ? command : command.join(' ');
  const how =
    ended.launchError ??
    (ended.stopped === 'timeout'
      ? `it took longer than ${Math.round(timeoutMs / 1000)} s`
      : `exit ${ended.exitCode ?? ended.signal}`);
  const tail = boundedTail(plainText(ended.tail).trim(), log);
  const hint = options.hint?.(`${shown}\n${tail}`);
  throw new SetupError(
    `The setup command failed in ${options.worktree} (${how}): ${shown}\n${tail.slice(-800)}\n${hint ? `${hint}\n` : ''}All of it: ${log}. Run it there by hand to see why, then retry.`,
    tail,
    log,
  );
}
