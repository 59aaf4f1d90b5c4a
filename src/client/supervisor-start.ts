/**
 * Waits until a supervisor that was just started has its record.
 * Invariant: no fixed time decides. It lasts as long as the process lives and gets on; an end is told at once, with what
 * it said. A process that stands still is ended, so that it cannot become a second worker later.
 */
import type { ChildProcess } from 'node:child_process';
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectDir } from '../config/paths.js';
import { hasProc, parseStat } from '../process/identity.js';
import { processTable, readProc } from '../process/table.js';
import { runningWorker, type WorkerRecord } from '../worker/record.js';

/** When a person is told that it takes long. */
const SLOW_MS = 10_000;
/** On a busy machine every process gets the processor within seconds. */
const STILL_MS = 60_000;
/** For a process that keeps the processor busy and gets nowhere. */
export const LONGEST_START_MS = 10 * 60_000;
const POLL_MS = 20;
/** Between two looks at what the process has used. */
const LOOK_MS = 500;
const MOST_LINES = 5;
const MOST_LINE = 300;

const logsOf = (root: string, project: string): string => join(projectDir(root, project), 'logs');
const outputOf = (root: string, project: string): string => join(logsOf(root, project), 'supervisor.stderr');

/** For what the process says before it has a log. Undefined where no file can be made: it must start all the same. */
export async function openOutput(root: string, project: string): Promise<FileHandle | undefined> {
  try {
    await mkdir(logsOf(root, project), { recursive: true, mode: 0o700 });
    return await open(outputOf(root, project), 'w', 0o600);
  } catch {
    return undefined;
  }
}

interface Starting {
  root: string;
  project: string;
  child: ChildProcess;
  tell: (line: string) => void;
  /** How long the process may use nothing. */
  stillMs?: number | undefined;
}

/** @throws Error with the end of what it said */
export async function untilRecorded({
  root,
  project,
  child,
  tell,
  stillMs = STILL_MS,
}: Starting): Promise<WorkerRecord> {
  let failed: string | undefined;
  child.once('error', (error) => {
    failed = error.message;
  });
  const begun = performance.now();
  const progress = new Progress(child.pid);
  for (let told = false; ; await delay(POLL_MS)) {
    const ended = failed ?? endOf(child);
    // One that somebody started by hand may have come first.
    const record = await runningWorker(root, project);
    if (record) return record;
    if (ended !== undefined) throw await notStarted(root, project, `it ended (${ended})`);
    const now = performance.now();
    const stood = await progress.stoodMs(now);
    if (stood > stillMs || now - begun > LONGEST_START_MS) {
      child.kill('SIGKILL');
      const why = stood > stillMs ? `did nothing for ${stillMs / 1000} s` : `took ${LONGEST_START_MS / 60_000} minutes`;
      throw await notStarted(root, project, `it ${why}, and was ended`);
    }
    if (!told && now - begun > SLOW_MS) {
      told = true;
      tell('the background worker is still starting: the machine is slow or busy. ralphctl waits for it');
    }
  }
}

function endOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (exitCode !== null) return `exit code ${exitCode}`;
  return signalCode ?? undefined;
}

async function notStarted(root: string, project: string, why: string): Promise<Error> {
  const said = await tailOf(outputOf(root, project));
  const words = said === '' ? '' : `. It said: ${said}`;
  return new Error(`the background worker did not start: ${why}. Its log is in ${logsOf(root, project)}${words}`);
}

async function tailOf(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(-MOST_LINES)
    .map((line) => line.trim().slice(0, MOST_LINE))
    .join(' | ');
}

/** What a process has used: it changes while the process gets on, however slowly. */
class Progress {
  readonly #pid: number | undefined;
  #used: string | undefined;
  #changedAt = performance.now();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(pid: number | undefined) {
    this.#pid = pid;
  }

  async stoodMs(now: number): Promise<number> {
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      const used = await usedBy(this.#pid);
      if (used !== this.#used) this.#changedAt = now;
      this.#used = used;
    }
    return now - this.#changedAt;
  }
}

async function usedBy(pid: number | undefined): Promise<string> {
  if (pid === undefined) return '';
  if (!hasProc) return String((await processTable()).find((row) => row.pid === pid)?.cpuMs);
  const stat = parseStat(String(readProc(pid, 'stat') ?? ''));
  // In nanoseconds, where the kernel counts them: on a busy machine a process gets less than a tick at a time.
  const scheduled = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '');
  return `${stat?.cpuMs} ${scheduled}`;
}
