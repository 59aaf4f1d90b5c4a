/**
 * Keeps the embedded server running for the supervisor.
 * Invariant: the loop ends only by its signal and never throws. A server that a person stopped (its record is gone)
 * stays stopped. Only ensureServer() restarts one that died or no longer answers.
 * Idle cost: two small file reads every tick, one health check every few ticks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, terminate } from '../process/identity.js';
import { type EnsureServerOptions, ensureServer } from './embedded.js';
import { readRecord, type ServerRecord, serverLogPath } from './files.js';
import { isServing } from './health.js';
import { rotateRunning } from './log.js';

export type ServerEvent =
  /** The server runs, and the loop watches it from now on. */
  | { type: 'watching'; record: ServerRecord }
  /** The process has ended, or no longer answers. A restart follows. */
  | { type: 'died'; record: ServerRecord; why: 'exited' | 'unresponsive' }
  /** `moved`: clients of the old address must reconnect. */
  | { type: 'restarted'; record: ServerRecord; moved: boolean }
  | { type: 'failed'; error: Error; retryMs: number }
  /** A person stopped the server; the loop waits for its return. */
  | { type: 'stopped' };

export interface WatchOptions extends EnsureServerOptions {
  onEvent: (event: ServerEvent) => void;
}

const TICK_MS = 400;
const HEALTH_EVERY_MS = 4_000;
const HEALTH_TIMEOUT_MS = 3_000;
const FAILURES = 3;
const FIRST_BACKOFF_MS = 200;
const LAST_BACKOFF_MS = 30_000;
const SETTLED_MS = 60_000;
const ROTATE_EVERY_MS = 60_000;
const WEDGED_GRACE_MS = 3_000;

/** Starts the server if it does not run, and watches it until `signal` aborts. Never rejects. */
export async function watchServer(options: WatchOptions, signal: AbortSignal): Promise<void> {
  let backoff = FIRST_BACKOFF_MS;
  let current: ServerRecord | undefined;
  const emit = (event: ServerEvent): void => {
    try {
      options.onEvent(event);
    } catch {
      // An error of a listener must not end the loop.
    }
  };
  const whileStopped = async (): Promise<void> => {
    emit({ type: 'stopped' });
    let record: ServerRecord | undefined;
    while (!record && (await pause(TICK_MS, signal))) record = await readRecord(options.root);
  };
  while (!signal.aborted) {
    try {
      // A person may stop the server after its death and before its restart.
      if (current && !(await readRecord(options.root))) await whileStopped();
      if (signal.aborted) return;
      const before = current;
      current = await ensureServer(options);
      if (before) emit({ type: 'restarted', record: current, moved: before.address !== current.address });
      else emit({ type: 'watching', record: current });
      const since = performance.now();
      const end = await untilTrouble(options.root, current, signal);
      if (performance.now() - since >= SETTLED_MS) backoff = FIRST_BACKOFF_MS;
      if (end.kind === 'aborted') return;
      if (end.kind === 'replaced') continue;
      current = end.record;
      if (end.kind === 'stopped') {
        await whileStopped();
        continue;
      }
      emit({ type: 'died', record: current, why: end.kind });
      if (end.kind === 'unresponsive') await terminate(current, WEDGED_GRACE_MS);
      // The first restart is immediate; after another death soon afterwards it waits longer.
      if (backoff > FIRST_BACKOFF_MS) await pause(backoff, signal);
      backoff = Math.min(backoff * 2, LAST_BACKOFF_MS);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      emit({ type: 'failed', error, retryMs: backoff });
      await pause(backoff, signal);
      backoff = Math.min(backoff * 2, LAST_BACKOFF_MS);
    }
  }
}

/** `replaced`: another process has restarted the server meanwhile. */
type Trouble = { kind: 'exited' | 'unresponsive' | 'stopped' | 'replaced' | 'aborted'; record: ServerRecord };

async function untilTrouble(root: string, record: ServerRecord, signal: AbortSignal): Promise<Trouble> {
  let failures = 0;
  let checked = performance.now();
  let rotated = checked;
  while (await pause(TICK_MS, signal)) {
    const seen = await readRecord(root);
    if (!seen) return { kind: 'stopped', record };
    if (seen.pid !== record.pid || seen.startTime !== record.startTime) return { kind: 'replaced', record: seen };
    if (!(await isAlive(record))) {
      return { kind: (await readRecord(root)) ? 'exited' : 'stopped', record };
    }
    const now = performance.now();
    if (failures > 0 || now - checked >= HEALTH_EVERY_MS) {
      checked = now;
      failures = (await isServing(record.address, HEALTH_TIMEOUT_MS)) ? 0 : failures + 1;
      if (failures >= FAILURES) return { kind: 'unresponsive', record };
    }
    if (now - rotated >= ROTATE_EVERY_MS) {
      rotated = now;
      await rotateRunning(serverLogPath(root)).catch(() => undefined);
    }
  }
  return { kind: 'aborted', record };
}

/** False when `signal` aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(ms, true, { signal, ref: true }).catch(() => false);
