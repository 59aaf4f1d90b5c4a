/**
 * Finds, adopts or starts the one embedded Temporal server of a state root.
 * Invariant: a database has at most one server process, however many processes ask at once. Only the holder of the
 * server lock starts or adopts a server and writes the record. A healthy server needs no lock and comes back within
 * milliseconds.
 * Must not import @temporalio statically.
 */

import type { Connection } from '@temporalio/client';
import { serverDir } from '../config/paths.js';
import { aliveness, type Identity, isAlive, terminate } from '../process/identity.js';
import { withLock } from '../process/lock.js';
import { SEARCH_ATTRIBUTES } from '../protocol/names.js';
import { channel } from './channel.js';
import { guardDatabase, noteDatabase, putDamagedAside, readDatabaseNote } from './database.js';
import {
  databasePath,
  HOST,
  NAMESPACE,
  readRecord,
  recordPath,
  type ServerPorts,
  type ServerRecord,
  serverLockPath,
  writeJson,
} from './files.js';
import { findServers } from './find.js';
import { portsFromArguments } from './flags.js';
import { isServing } from './health.js';
import { DEFAULT_DAYS, historyDays, loadSdk } from './history.js';
import { type Env, probeTemporal } from './install/probe.js';
import { resolveBinary } from './install/resolve.js';
import type { TemporalVersion } from './install/version.js';
import { choosePorts } from './ports.js';
import { databaseDamage, ServerStartError, startServer, untilServing } from './start.js';

export interface EnsureServerOptions {
  /** The state root of `stateRoot()`. */
  root: string;
  cacheRoot: string;
  env: Env;
  /** Receives one line at a time during a long step. */
  onProgress: (line: string) => void;
  /** Overrides `RALPHCTL_PORT` and `RALPHCTL_UI_PORT`; 0 means any free port. */
  ports?: { grpc?: number; ui?: number };
}

const HEALTH_MS = 1_000;
/** How long a server process may not answer before ralphctl replaces it. */
const WEDGED_MS = 15_000;
/** The lock's holder may be building the server from source. */
const LOCK_WAIT_MS = 20 * 60_000;
const ATTEMPTS = 6;

/** The recorded server when it is alive and serves; otherwise undefined. Takes no lock. */
export async function runningServer(root: string): Promise<ServerRecord | undefined> {
  const record = await readRecord(root);
  if (!record || !(await isAlive(record))) return undefined;
  return (await isServing(record.address, HEALTH_MS)) ? record : undefined;
}

/**
 * Returns the running embedded server, starting it when there is none.
 * @throws Error when there is no `temporal` program, when the database belongs to a newer server, or when the start fails.
 */
export async function ensureServer(options: EnsureServerOptions): Promise<ServerRecord> {
  const ready = await runningServer(options.root);
  if (ready) return ready;
  return withLock(serverLockPath(options.root), () => ensureLocked(options), {
    waitMs: LOCK_WAIT_MS,
    onWait: (owner) => options.onProgress(`waiting for process ${owner.pid}, which is starting the Temporal server`),
  });
}

async function ensureLocked(options: EnsureServerOptions): Promise<ServerRecord> {
  return (await runningServer(options.root)) ?? (await adopt(options)) ?? (await startFresh(options));
}

/** Takes over a server that already runs on our database; ends one that does not answer. */
async function adopt(options: EnsureServerOptions): Promise<ServerRecord | undefined> {
  const { root, env, onProgress } = options;
  const recorded = await readRecord(root);
  if (recorded && (await aliveness(recorded)) === 'unknown') {
    throw new Error(
      `the Temporal server in ${serverDir(root)} was started in another container (process ${recorded.pid} there). ` +
        'Stop it there with "ralphctl server stop", or give this container its own state: RALPHCTL_HOME=/some/folder',
    );
  }
  let adopted: ServerRecord | undefined;
  for (const { process: server, args } of await findServers(databasePath(root))) {
    const ports = portsFromArguments(args);
    const binary = args[0] ?? '';
    // A wrapper script and its program have the same arguments.
    if (adopted && ports?.grpc === adopted.ports.grpc) continue;
    if (!adopted && ports && (await untilServing(`${HOST}:${ports.grpc}`, WEDGED_MS))) {
      const probe = await probeTemporal(binary, env);
      if (probe.ok) {
        adopted = await settle(root, server, ports, binary, probe.version, recorded?.startedAt);
        continue;
      }
    }
    onProgress(`Temporal server process ${server.pid} does not answer; ralphctl ends it`);
    await terminate(server, 5_000);
  }
  return adopted;
}

async function startFresh(options: EnsureServerOptions): Promise<ServerRecord> {
  const { root, cacheRoot, env, onProgress } = options;
  const { path: binary, version } = await resolveBinary({ cacheRoot, env, onProgress });
  const last = (await readRecord(root))?.ports ?? (await readDatabaseNote(root))?.ports;
  let replaced = false;
  for (let attempt = 1; ; attempt++) {
    // At each try, because a failed start leaves an unfinished database.
    await guardDatabase(root, version, binary, onProgress);
    const ports = await choosePorts({ env, asked: options.ports, last });
    // Loading the client takes as long as booting the server.
    const loading = loadSdk().catch(() => undefined);
    try {
      const server = await startServer({ root, binary, ports, env });
      await loading;
      return await settle(root, server, ports, binary, version);
    } catch (error) {
      const damage = error instanceof Error ? databaseDamage(errorText(error)) : undefined;
      if (damage !== undefined && !replaced) {
        replaced = true;
        await putDamagedAside(root, damage, onProgress);
      } else if (!(error instanceof ServerStartError && error.portTaken) || attempt === ATTEMPTS) throw error;
      else onProgress('another program took a port just now; choosing other ports');
    }
  }
}

/** The error includes the server's output, or its answer while preparing the namespace. */
const errorText = (error: Error): string => (error instanceof ServerStartError ? error.output : error.message);

/** Prepares the namespace, then writes the record. */
async function settle(
  root: string,
  server: Identity,
  ports: ServerPorts,
  binary: string,
  version: TemporalVersion,
  startedAt = new Date().toISOString(),
): Promise<ServerRecord> {
  const address = `${HOST}:${ports.grpc}`;
  try {
    await bootstrap(address, await historyDays(root));
    // Another program's Temporal may answer on a port that ours lost. Our server has exited in that case.
    if (!(await isAlive(server))) throw new Error(`the Temporal server (process ${server.pid}) exited at its start`);
  } catch (error) {
    await terminate(server, 2_000);
    throw error;
  }
  await noteDatabase(root, version, ports);
  const uiUrl = `http://${HOST}:${ports.ui}`;
  const record: ServerRecord = { ...server, address, namespace: NAMESPACE, ports, uiUrl, binary, version, startedAt };
  await writeJson(recordPath(root), record);
  return record;
}

/*
 * Prepares a started server: retention of closed workflows and our search attributes.
 * Invariant: runs before the first workflow and again at every start, and never lowers a value that a person raised.
 * The SDK's client is slow to load, so functions here load it by `import()`: a bundler would hoist a static import to
 * the start of the program.
 */

/** Wire values of `temporal.api.enums.v1.IndexedValueType`. */
const WIRE_TYPE = { Keyword: 2, Int: 3 } as const;
const DEADLINE_MS = 20_000;

async function raiseRetention({ workflowService }: Connection, days: number): Promise<void> {
  const { msToTs, tsToMs } = (await loadSdk()).time;
  const wanted = msToTs(`${days} days`);
  const { config } = await workflowService.describeNamespace({ namespace: NAMESPACE });
  if (tsToMs(config?.workflowExecutionRetentionTtl ?? undefined) >= tsToMs(wanted)) return;
  await workflowService.updateNamespace({
    namespace: NAMESPACE,
    config: { workflowExecutionRetentionTtl: wanted },
  });
}

/** `--search-attribute` only acts when the namespace is created, so a database made without them gets them here. */
async function addSearchAttributes({ operatorService }: Connection): Promise<void> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace: NAMESPACE });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (customAttributes ?? {})));
  if (missing.length === 0) return;
  await operatorService.addSearchAttributes({
    namespace: NAMESPACE,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, WIRE_TYPE[type]])),
  });
}

/** Prepares the namespace of the server at `address`. @throws when the server does not answer within 20 s. */
export async function bootstrap(address: string, days = DEFAULT_DAYS): Promise<void> {
  const { client } = await loadSdk();
  const connection = await client.Connection.connect({
    ...{ address, connectTimeout: DEADLINE_MS, ...channel(address, client) },
  });
  try {
    await connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
      await raiseRetention(connection, days);
      await addSearchAttributes(connection);
    });
  } finally {
    await connection.close();
  }
}
