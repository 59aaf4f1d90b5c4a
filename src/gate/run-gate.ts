/**
 * The quality gate: the user's commands, in order, until one fails.
 * Invariant: a red gate is a result and never an error; the whole output is on disk, only a short tail in the result.
 * Must not know about Temporal or git.
 */
import { join } from 'node:path';
import { type RunResult, run } from '../process/run.js';
import { type GateCommandResult, type GateResult, TAIL_LIMIT } from '../protocol/activities.js';
import { plainText } from './ansi.js';
import { countTests } from './counts/index.js';
import { sum } from './counts/tally.js';
import { countReports } from './reports.js';
import type { GateCommand } from './types.js';

export interface GateOptions {
  commands: readonly GateCommand[];
  worktree: string;
  /** Takes `gate-1.log`, `gate-2.log` … */
  logDir: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  /** Marks what the commands start; one token below it for each. */
  token: string;
  signal?: AbortSignal;
}

/** Enough to find the summary of any runner; the rest is on disk. */
const COUNTED_BYTES = 4 << 20;

/** Runs the gate. Rejects only with the signal's reason. */
export async function runGate(options: GateOptions): Promise<GateResult> {
  const startedAt = performance.now();
  const commands: GateCommandResult[] = [];
  let failure: GateResult['failure'];
  for (const [index, command] of options.commands.entries()) {
    const one = await runCommand(options, command, index + 1);
    commands.push(one.result);
    failure = one.failure;
    if (failure) break;
  }
  const tests = sum(commands.map((one) => one.tests));
  return {
    pass: failure === undefined,
    commands,
    ...(failure ? { failure } : {}),
    ...(tests ? { tests } : {}),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

async function runCommand(
  options: GateOptions,
  command: GateCommand,
  n: number,
): Promise<{ result: GateCommandResult; failure?: NonNullable<GateResult['failure']> }> {
  const { worktree, signal } = options;
  const log = join(options.logDir, `gate-${n}.log`);
  signal?.throwIfAborted();
  const since = Date.now();
  const ended = await run({
    argv: toArgv(command.run),
    cwd: worktree,
    env: options.env,
    outputFile: log,
    timeoutMs: command.timeoutMs,
    tailBytes: COUNTED_BYTES,
    token: `${options.token}/gate-${n}`,
    ...(signal ? { signal } : {}),
  });
  signal?.throwIfAborted();
  const text = plainText(ended.tail);
  const tests = (await countReports(worktree, command.reports, since)) ?? countTests(text);
  const exitCode = ended.stopped ? null : ended.exitCode;
  const result = { command: command.name, exitCode, durationMs: ended.durationMs, ...(tests ? { tests } : {}) };
  if (exitCode === 0) return { result };
  const timedOut = ended.stopped === 'timeout';
  return {
    result,
    failure: { command: command.name, exitCode, timedOut, tail: failureTail(ended, command, text, log), log },
  };
}

export const toArgv = (command: string | readonly string[]): readonly string[] =>
  typeof command === 'string' ? ['/bin/sh', '-c', command] : command;

function failureTail(ended: RunResult, command: GateCommand, text: string, log: string): string {
  const why = ended.launchError ?? whyStopped(ended, command.timeoutMs);
  return boundedTail(`${text.trimEnd()}${why ? `\n${why}` : ''}`.trim(), log);
}

function whyStopped(ended: RunResult, timeoutMs: number): string | undefined {
  if (ended.stopped === 'timeout')
    return `It was stopped after ${Math.round(timeoutMs / 1000)} s, the limit for this command.`;
  return ended.signal ? `It was ended by ${ended.signal}.` : undefined;
}

/** The end of a text, at most {@link TAIL_LIMIT} characters; when something was cut, with the place of the whole. */
export function boundedTail(text: string, log: string): string {
  if (text.length <= TAIL_LIMIT) return text;
  const head = `… (all of it: ${log})\n`;
  const tail = text.slice(text.length - Math.max(0, TAIL_LIMIT - head.length));
  // Not in the middle of a pair.
  return `${head}${/^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail}`.slice(0, TAIL_LIMIT);
}
