/**
 * Stops the embedded server, and reports its state.
 * Invariant: only a process whose pid and start time match the record, or which runs on exactly our database, is ended.
 */

import { aliveness, terminate } from '../process/identity.js';
import { databaseBytes } from './database.js';
import {
  databasePath,
  readRecord,
  recordPath,
  removeFile,
  type ServerRecord,
  serverLockPath,
  serverLogPath,
} from './files.js';
import { findServers } from './find.js';
import { isServing } from './health.js';
import { withLock } from './lock.js';

/** SQLite is checkpointed on a graceful end; a server with much in flight takes a few seconds. */
const GRACE_MS = 10_000;
const LOCK_WAIT_MS = 60_000;

/**
 * Ends the server of `root`: SIGTERM, SIGKILL after `graceMs`. False when none was running.
 * @throws Error when another process is starting the server and does not finish within a minute.
 */
export async function stopServer(root: string, graceMs = GRACE_MS): Promise<boolean> {
  return withLock(
    serverLockPath(root),
    async () => {
      const record = await readRecord(root);
      if (record && (await aliveness(record)) === 'unknown') {
        throw new Error(
          `the Temporal server (process ${record.pid}) runs in another container. Stop it there: ralphctl server stop`,
        );
      }
      // The record goes first: without it, a supervisor knows that the stop is intended.
      await removeFile(recordPath(root));
      const running = await findServers(databasePath(root));
      await Promise.all(running.map((server) => terminate(server.process, graceMs)));
      return running.length > 0;
    },
    { waitMs: LOCK_WAIT_MS },
  );
}

export interface ServerStatus {
  /** `stopped`: none is recorded; `dead`: the recorded one is gone without having been stopped. */
  state: 'running' | 'stopped' | 'dead';
  /** It answers. Only when running. */
  healthy: boolean;
  record?: ServerRecord;
  /** Database and write-ahead log, bytes. */
  dbBytes: number;
  /** Milliseconds since the start; 0 unless running. */
  uptimeMs: number;
  logPath: string;
}

/** Never starts anything and takes no lock. */
export async function serverStatus(root: string): Promise<ServerStatus> {
  const record = await readRecord(root);
  const base = { dbBytes: await databaseBytes(root), logPath: serverLogPath(root), healthy: false, uptimeMs: 0 };
  if (!record) return { ...base, state: 'stopped' };
  if ((await aliveness(record)) === 'dead') return { ...base, state: 'dead', record };
  const uptimeMs = Math.max(0, Date.now() - Date.parse(record.startedAt));
  return { ...base, state: 'running', record, uptimeMs, healthy: await isServing(record.address, 1_000) };
}
