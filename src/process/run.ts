/**
 * Runs one program to its end.
 * Invariant: `done` resolves only when nothing that the program started is left (or names the processes that cannot be
 * killed), and neither memory nor the event loop depends on the amount of its output. It rejects only when `onSpawn` or
 * `onLine` throws, when its sandbox cannot be opened, or when this process has no file descriptor left (EMFILE), which is
 * not the program's failure.
 * Must not know the program: agents, gates and setup commands all use this.
 */
import { stat } from 'node:fs/promises';
import { execa } from 'execa';
import { ATTEMPT_ENV } from '../protocol/names.js';
import { untilCanSpawn } from './descriptors.js';
import { endEscaped, lookOften, withoutToken } from './escaped.js';
import { type Identity, identityOfNewChild } from './identity.js';
import { killTree, TreeWatch } from './kill.js';
import { explainLaunch } from './launch-error.js';
import { LogFile } from './log-file.js';
import { OutputTee } from './output.js';
import { openPipes } from './pipes.js';
import { secretValues } from './redact.js';
import type { OpenSandbox } from './sandbox/launch.js';
import { SignsOfLife } from './signs-of-life.js';
import { type StopReason, type StopRules, StopWatch } from './stop.js';
import { findByToken, noteToken } from './tokens.js';

export interface RunOptions extends StopRules {
  /** Program and arguments; no shell is involved. */
  argv: readonly string[];
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Written, then closed. Absent: stdin is /dev/null. */
  stdin?: string;
  /** File for stdout and stderr. Emptied first; folders are created. */
  outputFile: string;
  /** Cap of the output file in bytes; beginning and end are kept. Default 256 MiB. */
  maxLogBytes?: number;
  /** Every line without its ending; `truncated` when it was longer than `maxLineBytes`. */
  onLine?: (line: string, stream: 'stdout' | 'stderr', truncated: boolean) => void;
  /** Longest line handed to `onLine` whole, in bytes. Default 1 MiB. */
  maxLineBytes?: number;
  /** Size of `RunResult.tail` in bytes. Default 64 KiB. */
  tailBytes?: number;
  /** Texts that must not reach log and tail. Default: the values of `env` that are secrets by their name. */
  secrets?: readonly string[];
  /** From TERM to KILL. Default 5000. */
  killGraceMs?: number;
  /** Folders that nobody but the program works in: in them, its processes that got away are looked for and ended. */
  places: readonly string[];
  /** Marks every process of the program: `<project>/<runId>/<idea>/<serial>/<uuid>`, unique for each run. */
  token: string;
  /** Processes of the program that go on, because they serve others, too. Default: none. */
  spares?: (pid: number) => boolean;
  /** Opens the sandbox that it runs in. Absent: it runs as the user. */
  sandbox?: OpenSandbox | undefined;
  /** Called once the process runs. If it throws, the process is killed and `done` rejects. */
  onSpawn?: (identity: Identity) => void | Promise<void>;
}

export interface RunResult {
  /** null when the program did not end by itself, or never started. */
  exitCode: number | null;
  signal: string | null;
  /** Running time of the main process, milliseconds. */
  durationMs: number;
  /** Why it was stopped; absent when it ended by itself. */
  stopped?: StopReason;
  stdoutBytes: number;
  stderrBytes: number;
  /** The last output, both streams in order of arrival. */
  tail: string;
  /** Why it could not start, as a sentence for a person. */
  launchError?: string;
  /** System error code of the failed start, e.g. ENOENT. */
  launchCode?: string;
  /** Why the output file is incomplete. */
  logError?: string;
  /** Processes that survived KILL. */
  unkillable?: Identity[];
  /** Processes that had shaken the run off and were ended all the same: program and pid, for a person. At most ten. */
  escaped?: string[];
  /** What its sandbox refused and ended, for a person. */
  refused?: string[];
}

export interface RunHandle {
  done: Promise<RunResult>;
  /** The program has printed its result: it may take `graceMs` more to end, then its tree is killed. */
  resultSeen(graceMs: number): void;
  /**
   * The program reports that it only waits (true), or that it works again. While it waits its output does not delay the
   * idle stop.
   */
  waiting(on: boolean): void;
  /** Ends the whole tree; `stopped` becomes `aborted`. */
  kill(): void;
}

const LEFTOVER_GRACE_MS = 2000;
const MOST_NAMED = 10;
const NOTHING_RAN = { exitCode: null, signal: null, durationMs: 0, stdoutBytes: 0, stderrBytes: 0, tail: '' };

/** Starts a program. Nothing is thrown here; a failed start is a result with `launchError`. */
export function startRun(options: RunOptions): RunHandle {
  const watch = new StopWatch(options);
  const over = noteToken(options.token);
  const { sandbox } = options;
  const running = sandbox ? insideOf(sandbox, options, watch) : supervise(options, watch);
  const done = running.finally(() => {
    watch.close();
    over();
  });
  return {
    done,
    resultSeen: (graceMs) => watch.resultSeen(graceMs),
    waiting: (on) => watch.waiting(on),
    kill: () => watch.stop('aborted'),
  };
}

/** Runs a program to its end. */
export const run = (options: RunOptions): Promise<RunResult> => startRun(options).done;

async function insideOf(open: OpenSandbox, options: RunOptions, watch: StopWatch): Promise<RunResult> {
  const { argv, env } = options;
  const sandbox = await open({ argv, env });
  try {
    // Secrets of the program, not what a sandbox adds to its environment.
    const secrets = options.secrets ?? secretValues(env);
    const inside = { ...options, secrets, argv: sandbox.argv(argv), env: sandbox.env(env) };
    const result = await supervise(inside, watch);
    const refused = sandbox.told();
    return refused.length === 0 ? result : { ...result, refused };
  } finally {
    await sandbox.close();
  }
}

async function supervise(options: RunOptions, watch: StopWatch): Promise<RunResult> {
  const failed = (launchError: string, launchCode: string): RunResult => ({ ...NOTHING_RAN, launchError, launchCode });
  const [file, ...args] = options.argv;
  if (!file) return failed('There is no command to run: its argument list is empty.', 'EINVAL');
  const folder = await stat(options.cwd).catch(() => undefined);
  if (!folder?.isDirectory()) return failed(`The folder to run in, ${options.cwd}, does not exist.`, 'ENOTDIR');
  await untilCanSpawn();
  let tee: OutputTee | undefined;
  let log: LogFile;
  try {
    log = await LogFile.open(options.outputFile, options.maxLogBytes ?? 256 << 20, () => tee?.resume());
  } catch (error) {
    return failed(`The log ${options.outputFile} cannot be written: ${String(error)}`, 'EIO');
  }
  if (watch.reason) {
    await log.close();
    return { ...NOTHING_RAN, stopped: watch.reason };
  }

  const pipes = await openPipes();
  // Others may have taken the free ones meanwhile.
  await untilCanSpawn().catch(async (error: unknown) => {
    await pipes?.destroy();
    await log.close();
    throw error;
  });
  const startedAt = performance.now();
  const child = execa(file, args, {
    cwd: options.cwd,
    env: { ...options.env, [ATTEMPT_ENV]: options.token },
    extendEnv: false,
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    stripFinalNewline: false,
    stdin: options.stdin === undefined ? 'ignore' : 'pipe',
    // Descriptors are documented, but missing from execa's types.
    stdout: (pipes?.writeEnds[0] ?? 'pipe') as 'pipe',
    stderr: (pipes?.writeEnds[1] ?? 'pipe') as 'pipe',
  });
  const settled = child.then(
    (result) => result,
    (error: unknown) => error,
  );
  const { pid } = child;
  const stdout = pipes?.stdout ?? child.stdout;
  const stderr = pipes?.stderr ?? child.stderr;
  if (pid === undefined || !stdout || !stderr) {
    const error = await settled;
    await pipes?.destroy();
    await log.close();
    const { text, code } = explainLaunch(error, file, options);
    return failed(text, code);
  }
  const exited = new Promise<{ exitCode: number | null; signal: string | null; at: number }>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, at: performance.now() }));
  });
  tee = new OutputTee(stdout, stderr, log, () => watch.touch(), {
    ...options,
    secrets: options.secrets ?? secretValues(options.env),
  });
  // At once, because output may arrive before the next await returns.
  let hookError: { error: unknown } | undefined;
  tee.onConsumerError = (error) => {
    hookError ??= { error };
    watch.stop('aborted');
  };
  // A program that never reads its input, or ends before it has, is not an error.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.stdin);

  const root = await identityOfNewChild(pid);
  await pipes?.release();
  const tree = new TreeWatch({ root, findMarked: () => findByToken(options.token), spares: options.spares });
  watch.probe = new SignsOfLife(tree, options.cwd);
  watch.start();
  const hook = Promise.resolve(root)
    .then(options.onSpawn)
    .catch((error: unknown) => {
      hookError = { error };
      watch.stop('aborted');
    });

  const lookedEnough = lookOften(tree);
  await Promise.race([exited, watch.stopped]);
  lookedEnough();
  const stopped = watch.reason;
  const leftoverGraceMs = Math.min(options.killGraceMs ?? 5000, LEFTOVER_GRACE_MS);
  let unkillable: Identity[];
  let lost: string[] = [];
  if (stopped) {
    unkillable = await killTree(tree, options.killGraceMs ?? 5000);
  } else {
    watch.close();
    lost = await withoutToken(tree, options.token);
    unkillable = await killTree(tree, leftoverGraceMs, true);
  }
  const rules = { since: root, places: options.places, env: options.env };
  const escaped = await endEscaped(tree, rules, leftoverGraceMs);
  unkillable.push(...escaped.unkillable);
  const named = [...new Set([...lost, ...escaped.names])].slice(0, MOST_NAMED);
  const exit = unkillable.some((one) => one.pid === pid) ? undefined : await exited;
  await tee.finish();
  child.stdin?.destroy();
  await hook;
  await log.close();
  if (hookError) throw hookError.error;
  return {
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    durationMs: Math.round((exit?.at ?? performance.now()) - startedAt),
    stopped,
    stdoutBytes: tee.stdoutBytes,
    stderrBytes: tee.stderrBytes,
    tail: tee.tail(),
    logError: log.error,
    unkillable: unkillable.length === 0 ? undefined : unkillable,
    escaped: named.length === 0 ? undefined : named,
  };
}
