/**
 * Reads and replaces the files of the embedded server, under `<root>/server`.
 * Invariant: a file is replaced as a whole (write aside, rename), so a reader sees the old or the new one.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { serverDir } from '../config/paths.js';
import { readNote } from '../config/stored.js';
import { at } from '../config/system-errors.js';
import type { TemporalVersion } from './install/version.js';

/** Absolute: the server runs in another folder, and findServers() compares this path with running servers. */
export const databasePath = (root: string): string => resolve(serverDir(root), 'temporal.db');
export const recordPath = (root: string): string => join(serverDir(root), 'server.json');
/** The server version that wrote the database, and its ports. It stays when the record goes. */
export const databaseNotePath = (root: string): string => join(serverDir(root), 'db.json');
/** Output of the server; `server.log.1` is the previous one. */
export const serverLogPath = (root: string): string => join(serverDir(root), 'server.log');
export const serverLockPath = (root: string): string => join(serverDir(root), 'lock');

export async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(aside, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    await rename(aside, path);
  } catch (error) {
    await unlink(aside).catch(() => undefined);
    at(path)(error);
  }
}

export async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/*
 * `server.json`: the record of the running embedded server, which all other processes read.
 * Invariant: only the holder of the server lock writes or removes it; it is written once the server serves.
 */

export interface ServerPorts {
  grpc: number;
  ui: number;
  http?: number;
  metrics?: number;
}

export interface ServerRecord {
  pid: number;
  /** With `pid` it identifies exactly one process (identity.ts). */
  startTime: string;
  /** `host:port` of the gRPC frontend. */
  address: string;
  namespace: string;
  ports: ServerPorts;
  uiUrl: string;
  /** Path of the `temporal` binary. */
  binary: string;
  version: TemporalVersion;
  /** ISO 8601. */
  startedAt: string;
}

export const HOST = '127.0.0.1';
export const NAMESPACE = 'default';

export const portsShape = z.looseObject({
  grpc: z.int(),
  ui: z.int(),
  http: z.int().optional(),
  metrics: z.int().optional(),
});

const recordShape = z.looseObject({
  pid: z.int(),
  startTime: z.string(),
  address: z.string(),
  namespace: z.string(),
  ports: portsShape,
  uiUrl: z.string(),
  binary: z.string(),
  version: z.looseObject({ cli: z.string(), server: z.string() }),
  startedAt: z.string(),
});

/**
 * The recorded server, alive or not. Undefined without a record, or with a damaged one: ralphctl then finds the server
 * by its command line.
 */
export const readRecord = (root: string): Promise<ServerRecord | undefined> =>
  readNote(recordPath(root), recordShape, 'throw');

/** Address of the Web UI's pages of workflows; undefined while no server is recorded. Never rejects. */
export async function pagesOf(root: string): Promise<string | undefined> {
  const record = await readRecord(root).catch(() => undefined);
  return record && `${record.uiUrl}/namespaces/${record.namespace}/workflows`;
}
