/**
 * The quality gate: the user's commands, in order, until one fails.
 * Invariant: a red gate is a result and never an error. The output is on disk up to its limit, and only a short tail in
 * the result, which the limit does not change. Must not know about Temporal or git.
 */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/schema/config.js';
import { type RunResult, run } from '../process/run.js';
import type { OpenSandbox } from '../process/sandbox/launch.js';
import type { GateCommandResult, GateResult } from '../protocol/gate.js';
import { TAIL_LIMIT } from '../protocol/run-ref.js';
import { plainText } from './ansi.js';
import type { Attribution, CommandOutcome } from './attribute.js';
import { missingProgram } from './cannot-run.js';
import { takeLocks } from './locks.js';
import { failingTests } from './outcomes/failing-tests.js';
import { type Names, testNames } from './outcomes/names.js';
import type { Tested } from './outcomes/outcomes.js';
import { relativeTo } from './outcomes/relative.js';
import { readReports, reportStamps } from './outcomes/reports.js';
import { countTests, sum } from './outcomes/summaries.js';

/** A failed command, for closer checks. */
export interface FailedCommand {
  /** Index of the command, 0-based. */
  index: number;
  outcome: CommandOutcome;
  timedOut: boolean;
  /** Runs it once more on the same files. */
  again: () => Promise<CommandOutcome>;
}
export type Judgement =
  | { kind: 'red'; attribution?: Exclude<Attribution, { kind: 'cannot-run' }> }
  /** A program of the command is missing, now and before: the reason, and the fix. */
  | { kind: 'cannot-run'; text: string }
  /** It passed on a retry. */
  | { kind: 'flaky'; outcome?: CommandOutcome }
  /** Red before this work began, and no worse now: it may be tolerated. */
  | { kind: 'tolerated' };

export interface GateOptions {
  commands: readonly GateCommand[];
  worktree: string;
  /** Takes `gate-1.log`, `gate-2.log` … */
  logDir: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** Texts that must not reach log and result. */
  secrets?: readonly string[];
  /** Opens the sandbox of a command. Absent: it runs as the user. */
  sandbox?: OpenSandbox | undefined;
  /** Folder of the locks that commands name; one for all projects. */
  lockRoot: string;
  /** Most bytes of one command's log: its beginning and its end. */
  maxLogBytes?: number;
  /** Token of the processes; each command has one below it. */
  token: string;
  signal?: AbortSignal;
  /** A hint to add to the output of a failed command, from its text and its output. */
  hint?: (said: string) => string | undefined;
  /** Checks a failed command more closely; absent: red is red. */
  judge?: (failed: FailedCommand) => Promise<Judgement>;
  /** Hears that a command begins; `index` is 0-based. */
  onBegin?: (index: number, command: GateCommand) => void;
  /** Hears that a failed command begins once more. */
  onAgain?: (index: number, command: GateCommand) => void;
  /** Called with the final outcome of each command. */
  onOutcome?: (index: number, outcome: CommandOutcome) => void;
}

/** Most test names in a result. */
const MOST_TESTS = 10;
const MAX_TEST_NAME = 120;
const MAX_TEXT = 600;
const MOST_ESCAPED = 10;

/** Enough to find any runner's summary; the rest is on disk. */
const COUNTED_BYTES = 4 << 20;

/** Runs the gate. Rejects only with the signal's reason. */
export async function runGate(options: GateOptions): Promise<GateResult> {
  const startedAt = performance.now();
  const commands: GateCommandResult[] = [];
  const flaky: string[] = [];
  const tolerated: string[] = [];
  const escaped: string[] = [];
  let failure: GateResult['failure'];
  let log: string | undefined;
  for (const [index, command] of options.commands.entries()) {
    options.onBegin?.(index, command);
    const one = await runCommand(options, command, `gate-${index + 1}`);
    commands.push(one.result);
    log = one.log;
    escaped.push(...one.escaped);
    if (!one.failure) {
      options.onOutcome?.(index, one.outcome);
      continue;
    }
    const judged = await judge(options, command, index, one);
    if (judged.kind === 'flaky') {
      flaky.push(command.name);
      const { failing } = one.outcome;
      if (failing.length > 0) one.result.flakyTests = few(failing);
      options.onOutcome?.(index, judged.outcome ?? one.outcome);
    } else if (judged.kind === 'tolerated') {
      tolerated.push(command.name);
      options.onOutcome?.(index, one.outcome);
    } else {
      failure = { ...one.failure, ...described(judged) };
      break;
    }
  }
  const tests = sum(commands.map((one) => one.tests));
  return {
    pass: failure === undefined,
    commands,
    failure,
    tests,
    flaky: flaky.length > 0 ? flaky : undefined,
    tolerated: tolerated.length > 0 ? tolerated : undefined,
    escaped: escaped.length > 0 ? escaped.slice(0, MOST_ESCAPED) : undefined,
    log,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

interface Ran {
  result: GateCommandResult;
  /** Its whole output. */
  log: string;
  /** Processes that had got away from it and were ended. */
  escaped: string[];
  outcome: CommandOutcome;
  failure?: NonNullable<GateResult['failure']>;
  /** The signal that ended it, unless it was stopped. */
  signal?: string | undefined;
}

async function judge(options: GateOptions, command: GateCommand, index: number, ran: Ran): Promise<Judgement> {
  if (!options.judge) return { kind: 'red' };
  return options.judge({
    index,
    outcome: ran.outcome,
    timedOut: ran.failure?.timedOut ?? false,
    again: async () => {
      options.onAgain?.(index, command);
      const { result, outcome } = await runCommand(options, command, `gate-${index + 1}-again`);
      ran.result.again = { exitCode: result.exitCode, ...(result.tests ? { tests: result.tests } : {}) };
      return outcome;
    },
  });
}

const few = (names: readonly string[]): string[] =>
  names.slice(0, MOST_TESTS).map((name) => name.slice(0, MAX_TEST_NAME));

function described(
  judged: Extract<Judgement, { kind: 'red' | 'cannot-run' }>,
): Partial<NonNullable<GateResult['failure']>> {
  // The question about a red base also covers this.
  if (judged.kind === 'cannot-run') return { alreadyRed: true, cannotRun: judged.text.slice(0, MAX_TEXT) };
  const { attribution } = judged;
  if (!attribution) return {};
  const known = attribution.known.length > 0 ? { knownTests: few(attribution.known) } : {};
  if (attribution.kind === 'already-red') return { alreadyRed: true, ...known };
  return { newTests: attribution.added.length > 0 ? few(attribution.added) : undefined, ...known };
}

/** One command and its outcome; also for the commands of a baseline. `name` is that of the log. */
export async function runCommand(
  options: Omit<GateOptions, 'commands' | 'judge' | 'onOutcome'>,
  command: GateCommand,
  name: string,
): Promise<Ran> {
  const { signal } = options;
  const log = join(options.logDir, `${name}.log`);
  signal?.throwIfAborted();
  const argv = toArgv(command.run);
  const locks = await takeLocks(options.lockRoot, command.locks, signal);
  try {
    return await runLocked(options, command, { argv, log, name, waitedMs: locks.waitedMs });
  } finally {
    await locks.release();
  }
}

async function runLocked(
  options: Omit<GateOptions, 'commands' | 'judge' | 'onOutcome'>,
  command: GateCommand,
  { argv, log, name, waitedMs }: { argv: readonly string[]; log: string; name: string; waitedMs: number },
): Promise<Ran> {
  const { worktree, signal } = options;
  const before = await reportStamps(worktree, command.reports);
  const ended = await run({
    argv,
    cwd: worktree,
    places: [worktree],
    env: options.env,
    sandbox: options.sandbox,
    ...(options.secrets ? { secrets: options.secrets } : {}),
    outputFile: log,
    ...(options.maxLogBytes === undefined ? {} : { maxLogBytes: options.maxLogBytes }),
    timeoutMs: command.timeoutMs,
    tailBytes: COUNTED_BYTES,
    token: `${options.token}/${name}`,
    signal,
  });
  signal?.throwIfAborted();
  const text = plainText(ended.tail);
  // Names of tests may contain the place of their file, which differs for each idea.
  const relative = await relativeTo(worktree);
  const said = relative(text);
  const reports = await readReports(worktree, command.reports, before, relative);
  const tests = reports?.tests ?? countTests(text);
  const tested = tests && { counts: tests, ...namesOf(ended, said, reports?.names) };
  const exitCode = ended.stopped ? null : ended.exitCode;
  const waited = waitedMs > 0 ? { waitedMs } : {};
  const result = { command: command.name, exitCode, durationMs: ended.durationMs, tests, ...waited };
  const known = tested ? { tested } : {};
  const { escaped = [] } = ended;
  if (exitCode === 0) return { result, log, escaped, outcome: { exitCode, failing: [], ...known } };
  const hints = [options.hint?.(`${argv.join(' ')}\n${text}`), ...(ended.refused ?? [])].filter(Boolean);
  const hint = hints.length > 0 ? hints.join('\n') : undefined;
  await sayHow(log, command.name, ended, hint);
  const failing = reports && reports.failing.length > 0 ? reports.failing : failingTests(said);
  const timedOut = ended.stopped === 'timeout';
  const missing = missingProgram({ ...ended, exitCode }, text, argv);
  return {
    ...{ result, log, escaped },
    outcome: { exitCode, failing, ...known, missing },
    failure: { command: command.name, exitCode, timedOut, tail: failureTail(ended, command, text, log, hint), log },
    signal: ended.stopped ? undefined : (ended.signal ?? undefined),
  };
}

/** A cut output lacks some names: then only counts are used. */
function namesOf(ended: RunResult, text: string, reported: Names | undefined): Pick<Tested, 'names'> {
  if (reported) return { names: { junit: reported } };
  if (ended.stdoutBytes + ended.stderrBytes > COUNTED_BYTES) return {};
  const names = testNames(text);
  return names ? { names } : {};
}

/** Otherwise a command that fails silently leaves an empty log. */
async function sayHow(log: string, command: string, ended: RunResult, hint = ''): Promise<void> {
  const how = ended.launchError ?? ended.stopped ?? ended.signal ?? `exit code ${ended.exitCode}`;
  const text = `[ralphctl: ${command}: ${how} after ${(ended.durationMs / 1000).toFixed(1)} s]\n`;
  await appendFile(log, hint ? `${text}[ralphctl: ${hint}]\n` : text).catch(() => undefined);
}

export const toArgv = (command: string | readonly string[]): readonly string[] =>
  typeof command === 'string' ? ['/bin/sh', '-c', command] : command;

function failureTail(ended: RunResult, command: GateCommand, text: string, log: string, hint?: string): string {
  const why = ended.launchError ?? whyStopped(ended, command.timeoutMs);
  return boundedTail([text.trimEnd(), why, hint].filter(Boolean).join('\n').trim(), log);
}

function whyStopped(ended: RunResult, timeoutMs: number): string | undefined {
  if (ended.stopped === 'timeout')
    return `It was stopped after ${Math.round(timeoutMs / 1000)} s, the limit for this command.`;
  return ended.signal ? `It was ended by ${ended.signal}.` : undefined;
}

/** The end of a text, at most {@link TAIL_LIMIT} characters; if cut, with the path of the full log. */
export function boundedTail(text: string, log: string): string {
  if (text.length <= TAIL_LIMIT) return text;
  const head = `… (full log: ${log})\n`;
  const tail = text.slice(text.length - Math.max(0, TAIL_LIMIT - head.length));
  // Not inside a surrogate pair.
  return `${head}${/^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail}`.slice(0, TAIL_LIMIT);
}

/** A gate command, ready to run. Must import nothing. */
export interface GateCommand {
  name: string;
  /** A string goes to `/bin/sh -c`; a list is run as it is. */
  run: string | readonly string[];
  timeoutMs: number;
  /** Globs of JUnit XML files below the worktree. */
  reports: readonly string[];
  /** Names of what it uses alone. */
  locks?: readonly string[];
}

/* The gate commands of the configuration, ready to run, and the limit of their logs. */

export const logLimit = ({ logs }: Config): number => logs.maxMegabytesPerRun * 1024 * 1024;

export const gateCommands = (config: Config): GateCommand[] =>
  config.gate.commands.map(({ timeoutMinutes, ...command }) => ({ ...command, timeoutMs: timeoutMinutes * 60_000 }));
