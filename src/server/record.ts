/**
 * `server.json`: the running embedded server as everybody else finds it.
 * Invariant: only the holder of the server lock writes or removes it; it is written once the server serves.
 */
import { readJson, recordPath } from './files.js';
import type { TemporalVersion } from './version.js';

export interface ServerPorts {
  grpc: number;
  ui: number;
  http?: number;
  metrics?: number;
}

export interface ServerRecord {
  pid: number;
  /** See identity.ts; together with `pid` it names exactly one process. */
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

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export function isPorts(value: unknown): value is ServerPorts {
  return isObject(value) && Number.isInteger(value.grpc) && Number.isInteger(value.ui);
}

function isRecord(value: unknown): value is ServerRecord {
  if (!isObject(value) || !isPorts(value.ports) || !isObject(value.version)) return false;
  const texts = [value.startTime, value.address, value.namespace, value.uiUrl, value.binary, value.startedAt];
  return Number.isInteger(value.pid) && texts.every((text) => typeof text === 'string');
}

/** The recorded server, alive or not; undefined when none is recorded or the file is unreadable. */
export const readRecord = (root: string): Promise<ServerRecord | undefined> => readJson(recordPath(root), isRecord);
