/**
 * Stops the embedded server, and reports its state.
 * Invariant: ends only a process whose pid and start time match the record, or which runs on exactly our database.
 */

import { aliveness, terminate } from '../process/identity.js';
import { withLock } from '../process/lock.js';
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

/** A graceful end checkpoints SQLite, which takes a busy server a few seconds. */
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
      // The record goes first: a supervisor takes a server without a record as stopped on purpose.
      await removeFile(recordPath(root));
      const running = await findServers(databasePath(root));
      await Promise.all(running.map((server) => terminate(server.process, graceMs)));
      return running.length > 0;
    },
    { waitMs: LOCK_WAIT_MS },
  );
}

export interface ServerStatus {
  /** `stopped`: there is no record. `dead`: the recorded server has ended, and nobody stopped it. */
  state: 'running' | 'stopped' | 'dead';
  /** Whether it answers; set only while it runs. */
  healthy: boolean;
  record?: ServerRecord;
  /** Size of database and write-ahead log, in bytes. */
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
