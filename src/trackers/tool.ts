/**
 * Runs the program of a tracker: `gh`, `glab`, or one of the user's.
 * Invariant: no shell; texts go through arguments or stdin. The program has a process group of its own, a time limit and
 * an environment that names what it may see.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ORDINARY_VARIABLES } from '../process/ordinary-env.js';
import { startRun } from '../process/run.js';
import { TrackerError } from './tracker.js';

export interface ToolPlace {
  env: Readonly<Record<string, string | undefined>>;
  /** The repository. */
  cwd: string;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Most output that is read. */
  maxBytes?: number;
  /** Marks its processes: `<project>/<run>/<idea>`. */
  mark?: string;
}

export interface ToolCall {
  argv: readonly string[];
  stdin?: string;
  /** Further variables of the environment that the program gets. */
  passEnv: readonly string[];
  /** Variables that are set for it. */
  set?: Readonly<Record<string, string>>;
  /** In an empty folder: an agent could write settings of the program into the repository, such as another host. */
  apart?: true;
}

export interface ToolResult {
  /** Null: a signal ended it. */
  exitCode: number | null;
  /** The signal, where it was not sent at the time limit: something else ended the program. */
  signal?: string;
  stdout: string[];
  stderr: string;
}

/** `glab` prints a page of a hundred issues as one line. */
const MAX_BYTES = 128 << 20;
const MAX_STDERR = 4000;
/** In memory, also for an empty line. */
const LINE_COST = 64;
const KILL_GRACE_MS = 1000;

/** @throws TrackerError when the program is not there, or prints without an end */
export async function callTool(
  place: ToolPlace,
  { argv, stdin, passEnv, set = {}, apart }: ToolCall,
): Promise<ToolResult> {
  const scratch = await mkdtemp(join(tmpdir(), 'ralphctl-tracker-'));
  const stdout: string[] = [];
  let bytes = 0;
  let stderr = '';
  let flooded = false;
  const most = place.maxBytes ?? MAX_BYTES;
  try {
    const handle = startRun({
      argv,
      cwd: apart ? scratch : place.cwd,
      env: environment(place.env, passEnv, apart ? { ...set, GIT_CEILING_DIRECTORIES: dirname(scratch) } : set),
      outputFile: join(scratch, 'output.log'),
      maxLogBytes: 1 << 20,
      killGraceMs: KILL_GRACE_MS,
      maxLineBytes: most,
      // It may work where others do, too.
      places: [scratch],
      ...(stdin === undefined ? {} : { stdin }),
      onLine: (line, stream, truncated) => {
        if (flooded) return;
        bytes += line.length + LINE_COST;
        if (truncated || bytes > most) {
          flooded = true;
          handle.kill();
        } else if (stream === 'stderr') stderr = `${stderr}${line}\n`.slice(-MAX_STDERR);
        else stdout.push(line);
      },
      timeoutMs: place.timeoutMs,
      ...(place.signal ? { signal: place.signal } : {}),
      token: `${place.mark ?? 'tracker/tracker/tracker'}/tracker/${randomUUID()}`,
    });
    const result = await handle.done;
    const [program = ''] = argv;
    if (flooded)
      throw new TrackerError(`${program} printed more than ${Math.floor(most / (1 << 20))} MB and was stopped`, false);
    const unstarted = result.launchError?.replace(/\.$/, '');
    if (unstarted !== undefined)
      throw new TrackerError(`${program} cannot be started: ${unstarted}`, true, undefined, true);
    if (result.stopped === 'aborted') place.signal?.throwIfAborted();
    const signal = result.stopped || result.signal === null ? {} : { signal: result.signal };
    return { exitCode: result.stopped ? null : result.exitCode, ...signal, stdout, stderr: stderr.trim() };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function environment(
  env: ToolPlace['env'],
  passEnv: readonly string[],
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = new Set([...ORDINARY_VARIABLES, ...passEnv]);
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && names.has(name) ? [[name, value]] : [],
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...set };
}
