/**
 * Git commands that may have to be interrupted, with all that they start: hooks of a remote on this machine, ssh,
 * credential helpers.
 * Invariant: when the signal aborts, nothing of the command is left once the call returns, except what serves the
 * user's other programs since. Output is whole lines. What a killed process leaves is found by its project.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../process/run.js';
import { GIT_CALL, isShared } from '../process/shared.js';
import { makeTemporary } from '../process/temporary.js';

export interface InterruptibleCommand {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: string | undefined;
  signal: AbortSignal;
}

export interface InterruptibleResult {
  code: number;
  stdout: string;
  stderr: string;
}

const KILL_GRACE_MS = 2000;
/** The signal ends it earlier. */
const LONGEST_MS = 2 * 60 * 60_000;
const MOST_BYTES = 64 << 20;

/** A command that a person called is nobody's: a worker that begins must not end it. */
const NOBODY = '.command';
let owner = NOBODY;

/** From now on these commands are of this project's worker. */
export function ownGit(project = NOBODY): void {
  owner = project;
}

/** Rejects with the reason of the signal, or with an Error when git cannot start. */
export async function runInterruptible(command: InterruptibleCommand): Promise<InterruptibleResult> {
  const { argv, cwd, env, input, signal } = command;
  signal.throwIfAborted();
  const scratch = await makeTemporary('git');
  const text = { stdout: [] as string[], stderr: [] as string[] };
  let bytes = 0;
  try {
    const result = await run({
      ...{ argv, cwd, env, signal, timeoutMs: LONGEST_MS, killGraceMs: KILL_GRACE_MS },
      // Others work in the repository, too.
      places: [scratch],
      outputFile: join(scratch, 'output.log'),
      maxLogBytes: 1 << 20,
      ...(input === undefined ? {} : { stdin: input }),
      onLine: (line, stream) => {
        bytes += line.length + 1;
        if (bytes <= MOST_BYTES) text[stream].push(`${line}\n`);
      },
      token: `${owner}/${GIT_CALL}/${randomUUID()}`,
      spares: isShared,
    });
    signal.throwIfAborted();
    if (result.launchError !== undefined) throw new Error(result.launchError);
    return { code: result.exitCode ?? 128, stdout: text.stdout.join(''), stderr: text.stderr.join('') };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
