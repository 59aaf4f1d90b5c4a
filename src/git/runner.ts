/**
 * All git calls of ralphctl go through here: through persistent shells (shell.ts), through simple-git where those cannot
 * be used, or as a process tree of their own where they may have to be interrupted. Decision 026 has reasons and measures.
 * Invariant: no secret and no GIT_* variable of this process reaches git (environment.ts). Nothing prompts, pages,
 * opens an editor or starts background maintenance. Hooks run only on request. Must not know about ideas, worktrees or
 * landing.
 */
import { resolve } from 'node:path';
import type { SimpleGitOptions } from 'simple-git';
import { untilCanSpawn } from '../process/descriptors.js';
import { gitEnvironment } from './environment.js';
import { filterProblem } from './errors.js';
import { runInterruptible } from './interruptible.js';
import { isLockContention, lockDelayMs, lockHeld, lookForStandstill } from './locks.js';
import { runInShell, ShellError, shellCanRun } from './shell.js';
import { GitEnded, PipesRemoved, watched } from './watched.js';
import { failedAtPipe, pipesForGit, removePipes, worktreesOf } from './worktree-pipes.js';

export interface GitOptions {
  /** Added to the child's environment. */
  env?: Readonly<Record<string, string>>;
  /** Exit codes that are answers and not errors; default `[0]`. */
  ok?: readonly number[];
  /** Written to stdin. */
  input?: string;
  /** Extra `-c` settings, `key=value`. */
  config?: readonly string[];
  /** Let the user's hooks run; default false. */
  hooks?: boolean;
  /** Only reads: takes no optional locks, so it can never disturb a concurrent command. */
  read?: boolean;
  signal?: AbortSignal;
}

export interface GitResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Git {
  dir: string;
  /** Stdout without trailing newlines. Throws {@link GitError} on an exit code outside `ok`. */
  run(args: readonly string[], opts?: GitOptions): Promise<string>;
  /** Everything, byte for byte. Throws {@link GitError} on an exit code outside `ok`. */
  result(args: readonly string[], opts?: GitOptions): Promise<GitResult>;
}

/** A failed git command, with everything needed to understand it. */
export class GitError extends Error {
  override name = 'GitError';
  constructor(
    readonly dir: string,
    readonly args: readonly string[],
    readonly code: number,
    readonly stderr: string,
    /** Replaces git's own message. */
    plain?: string,
  ) {
    super(plain ?? `git ${args[0] ?? ''} failed in ${dir} (exit ${code}): ${lastLines(stderr) || 'no message'}`);
  }
}

const lastLines = (text: string): string => text.trim().split('\n').slice(-5).join('\n').slice(-1000);

/** Settings that keep a user's configuration, and an agent's files, from changing a command's effect or output. */
const STEADY = [
  // Agents can forge these indexes; git believes them without a look at the objects.
  'core.commitGraph=false',
  'core.multiPackIndex=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.fsmonitor=false',
  'core.quotePath=false',
  // Others read HEAD as a file; a link in a worktree leads nowhere.
  'core.preferSymlinkRefs=false',
  'color.ui=false',
  'log.showSignature=false',
  'commit.gpgSign=false',
  'merge.verifySignatures=false',
  'merge.autoStash=false',
  'rerere.enabled=false',
  'submodule.recurse=false',
  'advice.addEmbeddedRepo=false',
  'checkout.workers=0',
];

type Look = (dir: string) => Promise<Readonly<Record<string, string>>>;
let look: Look = () => Promise.resolve({});

/** Runs before each command with its folder; returns additions to its environment. See wall.ts. */
export function beforeEachCommand(does: Look): void {
  look = does;
}

/** Git commands in `dir`, which must exist. */
export function git(dir: string): Git {
  const result = async (args: readonly string[], opts: GitOptions = {}): Promise<GitResult> => {
    for (let attempt = 1; ; attempt++) {
      opts.signal?.throwIfAborted();
      const got = await unhindered(dir, args, opts);
      const answered = (opts.ok ?? [0]).includes(got.code);
      const locked = got.code !== 0 && isLockContention(got.stderr);
      if (answered && !locked) return got;
      const delay = locked ? lockDelayMs(attempt) : undefined;
      if (delay === undefined && answered) return got;
      if (delay === undefined)
        throw (
          filterProblem(dir, got.stderr) ??
          new GitError(dir, args, got.code, got.stderr, locked ? lockHeld(got.stderr) : undefined)
        );
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  };
  return {
    dir,
    result,
    run: async (args, opts) => trimNewlines((await result(args, opts)).stdout),
  };
}

function trimNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

/** Whoever makes pipes faster than ralphctl removes them must not keep it busy for ever. */
const MOST_ROUNDS = 5;

/** Runs the command again after a pipe that it waited at, or failed at, is gone. */
async function unhindered(dir: string, args: readonly string[], opts: GitOptions): Promise<GitResult> {
  const watch = { dir: resolve(dir), args, read: opts.read ?? false, hooks: opts.hooks ?? false };
  for (let round = 1; ; round++) {
    try {
      const got = opts.signal
        ? await once(dir, args, opts)
        : await watched(watch, raw, (ending) => once(dir, args, opts, ending));
      const again = round < MOST_ROUNDS && got.code !== 0 && failedAtPipe(got.stderr) && (await removeFrom(watch));
      if (!again) return got;
    } catch (error) {
      if (error instanceof GitEnded) throw new GitError(dir, args, 0, '', error.message);
      if (!(error instanceof PipesRemoved)) throw error;
      if (round >= MOST_ROUNDS)
        throw new GitError(
          dir,
          args,
          0,
          '',
          `somebody makes named pipes in ${dir} again and again: find '${dir}' -type p`,
        );
    }
  }
}

async function removeFrom({ dir, args }: { dir: string; args: readonly string[] }): Promise<boolean> {
  let some = false;
  for (const worktree of worktreesOf(dir, args)) {
    const paths = await pipesForGit(worktree, raw);
    if (paths.length > 0) await removePipes(worktree, paths, raw);
    some ||= paths.length > 0;
  }
  return some;
}

const LONGEST_RAW_MS = 60_000;

/** For the removal of pipes: reads the index, and writes files from it. */
const raw = (dir: string, args: readonly string[], input?: string): Promise<GitResult> =>
  once(
    dir,
    args,
    { read: input === undefined, ...(input === undefined ? {} : { input }) },
    AbortSignal.timeout(LONGEST_RAW_MS),
  );

async function once(dir: string, args: readonly string[], opts: GitOptions, ending?: AbortSignal): Promise<GitResult> {
  lookForStandstill();
  const given = await look(resolve(dir));
  const config = [...STEADY, ...(opts.hooks ? [] : ['core.hooksPath=/dev/null']), ...(opts.config ?? [])];
  const command = {
    dir: resolve(dir),
    argv: ['git', ...config.flatMap((setting) => ['-c', setting]), ...args],
    env: gitEnvironment(process.env),
    extra: { ...given, ...(opts.read ? { GIT_OPTIONAL_LOCKS: '0' } : {}), ...opts.env },
    input: opts.input,
    apart: opts.hooks,
    read: opts.read,
    signal: ending,
  };
  if (opts.signal) {
    const { argv, input } = command;
    const env = { ...command.env, ...command.extra };
    return runInterruptible({ argv, cwd: command.dir, env, input, signal: opts.signal });
  }
  if (!shellCanRun(command))
    return alone(dir, args, { ...opts, signal: ending }, config, { ...command.env, ...command.extra });
  try {
    return await runInShell(command);
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new GitError(dir, args, 0, error.message);
  }
}

async function alone(
  dir: string,
  args: readonly string[],
  opts: GitOptions,
  config: string[],
  env: Record<string, string>,
): Promise<GitResult> {
  // Rarely needed, and a tenth of a command's start-up time.
  const { simpleGit } = await import('simple-git');
  await untilCanSpawn();
  let code = 0;
  let stderr = '';
  const options: Partial<SimpleGitOptions> = {
    baseDir: dir,
    trimmed: false,
    config,
    abort: opts.signal,
    allowEnvironment: Object.keys(env),
    // With an open stdin, a command that reads it waits for ever.
    input: () => opts.input || '\n',
    // A hook may leave a process that holds the pipes open.
    completion: { onClose: true, onExit: opts.hooks ? 500 : false },
    unsafe: {
      allowUnsafeHooksPath: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeEditor: true,
      allowUnsafePager: true,
      allowUnsafeConfigPaths: true,
      // The user's own login, for commands that talk to a remote (delivery/credentials.ts).
      allowUnsafeConfigEnvCount: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeAskPass: true,
      allowUnsafeSshCommand: true,
      allowUnsafeGitProxy: true,
      allowUnsafeUrlRewrite: true,
      allowUnsafeProtocolOverride: true,
      allowUnsafePack: true,
      allowAbbreviatedOptions: true,
    },
    errors(error, got) {
      code = got.exitCode;
      stderr = Buffer.concat(got.stdErr).toString('utf8');
      return code === 0 || code > 0 ? undefined : error;
    },
  };
  try {
    const runner = simpleGit(options)
      .env(env)
      // simple-git waits 50 ms after a command without output; an empty chunk tells it that the output is complete.
      .outputHandler((_command, stdout) => stdout.once('end', () => stdout.emit('data', Buffer.alloc(0))));
    const stdout = await runner.raw([...args]);
    return { code, stdout, stderr };
  } catch (error) {
    throw new GitError(dir, args, code, stderr || (error instanceof Error ? error.message : String(error)));
  }
}
