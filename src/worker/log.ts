/**
 * The worker's log: one JSON line per event, rotated by size; on a terminal also readable lines. Suppresses most
 * repeated messages.
 */
import { join } from 'node:path';
import { DefaultLogger, type LogEntry, type Logger, type LogLevel } from '@temporalio/worker';
import { type Logger as PinoLogger, pino } from 'pino';
import { projectDir } from '../config/paths.js';
import { rollingFile } from './rolling-file.js';

export const workerLogDir = (root: string, project: string): string => join(projectDir(root, project), 'logs');

export interface WorkerLog {
  /** Logs an event of ralphctl. */
  event(name: string, details?: Record<string, unknown>): void;
  problem(name: string, error: unknown, details?: Record<string, unknown>): void;
  /** Logger for the Temporal SDK. */
  sdk: Logger;
  close(): void;
}

const MOST_BYTES = 10 * 1024 * 1024;

export async function openWorkerLog(root: string, project: string, echo: boolean): Promise<WorkerLog> {
  const destination = await rollingFile({
    file: join(workerLogDir(root, project), 'worker'),
    size: MOST_BYTES,
    keep: 5,
  });
  const log = pino({ base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const repeats = new Repeats();
  const say = (text: string): void => {
    if (echo) process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${text}\n`);
  };
  return {
    event(name, details = {}) {
      log.info(details, name);
      say(`${name}${describe(details)}`);
    },
    problem(name, error, details = {}) {
      const held = repeats.pass(`${name} ${String(error)}`, performance.now());
      if (held === undefined) return;
      log.error({ ...details, err: error, ...(held > 0 ? { held } : {}) }, name);
      say(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    },
    sdk: new DefaultLogger('INFO', (entry) => logSdk(log, entry, repeats)),
    close: () => destination.flushSync(),
  };
}

const LEVELS: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

function logSdk(log: PinoLogger<never, boolean>, { level, message, meta }: LogEntry, repeats: Repeats): void {
  const { error, taskToken: _, ...rest } = (meta ?? {}) as Record<string, unknown>;
  const held = level === 'INFO' ? 0 : repeats.pass(`${message} ${error ? String(error) : ''}`, performance.now());
  if (held === undefined) return;
  // `held`: number of similar messages suppressed since the last one.
  log[LEVELS[level]]({ sdk: true, ...rest, ...(error ? { err: error } : {}), ...(held > 0 ? { held } : {}) }, message);
}

function describe(details: Record<string, unknown>): string {
  const parts = Object.entries(details).map(([key, value]) => `${key}=${String(value)}`);
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

/**
 * Limits repeated log messages, for example when the server is gone and every poller complains.
 * Invariant: a first message always passes. Later ones pass at growing intervals, with the number of suppressed ones.
 * Pure.
 */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;
/** After this much silence a message counts as new. */
const FORGOTTEN_MS = 5 * 60_000;
const MOST_KEPT = 200;

interface Seen {
  /** Suppress until this time. */
  until: number;
  pauseMs: number;
  held: number;
  at: number;
}

export class Repeats {
  readonly #seen = new Map<string, Seen>();

  /** Number of similar messages suppressed before this one; undefined: suppress it. `now` in milliseconds. */
  pass(message: string, now: number): number | undefined {
    // A message that differs only in numbers (attempts, ports, ids) counts as the same.
    const key = message.slice(0, 300).replace(/[0-9a-f]{8,}|\d+/gi, '#');
    const seen = this.#seen.get(key);
    if (!seen || now - seen.at > FORGOTTEN_MS) {
      if (this.#seen.size >= MOST_KEPT) this.#seen.clear();
      this.#seen.set(key, { until: now + FIRST_MS, pauseMs: FIRST_MS, held: 0, at: now });
      return 0;
    }
    seen.at = now;
    if (now < seen.until) {
      seen.held++;
      return undefined;
    }
    const { held } = seen;
    seen.pauseMs = Math.min(seen.pauseMs * 2, LONGEST_MS);
    seen.until = now + seen.pauseMs;
    seen.held = 0;
    return held;
  }
}
