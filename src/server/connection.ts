/**
 * Chooses the Temporal server: the one that the user configured for Temporal's tools, or the embedded one.
 * Invariant: any explicit setting (address, namespace, API key, TLS, a profile with an address) prevents a local
 * server.
 * Must not import @temporalio statically: without such a setting, ralphctl loads nothing of it.
 */
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { TLSConfig } from '@temporalio/client';
import type { Env } from './install/probe.js';

/** Fits both `Connection.connect` of @temporalio/client and `NativeConnection.connect` of @temporalio/worker. */
export interface ConnectOptions {
  address: string;
  tls?: TLSConfig | boolean;
  apiKey?: string;
  metadata?: Record<string, string>;
}

export interface ExternalConnection {
  kind: 'external';
  options: ConnectOptions;
  namespace: string;
  /** Origin of the address, for messages: a variable, a profile of a file, or the default. */
  origin: string;
}
export type ResolvedConnection = ExternalConnection | { kind: 'embedded' };

const DEFAULT_ADDRESS = 'localhost:7233';
const EXPLICIT = /^TEMPORAL_(?:ADDRESS|NAMESPACE|API_KEY|PROFILE|CONFIG_FILE|TLS(?:_\w+)?|GRPC_META_\w+)$/;

/** The path where the Temporal tools look for `temporal.toml`; undefined when it is unknown. */
export function defaultConfigFile(env: Env, platform: NodeJS.Platform = process.platform): string | undefined {
  const home = env.HOME;
  let dir: string | undefined;
  if (platform === 'win32') dir = env.APPDATA;
  else if (platform === 'darwin') dir = home && join(home, 'Library', 'Application Support');
  else dir = env.XDG_CONFIG_HOME || (home && join(home, '.config'));
  return dir && isAbsolute(dir) ? join(dir, 'temporalio', 'temporal.toml') : undefined;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Resolves the connection from `TEMPORAL_*` in `env` and `temporal.toml`.
 * @throws Error when a named profile or file does not exist, or an API key stands without an address.
 */
export async function resolveConnection({ env }: { env: Env; root?: string }): Promise<ResolvedConnection> {
  // Shell tools treat an empty variable as not set.
  const set = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1]) || /GRPC_META/.test(entry[0])),
  );
  set.HOME ??= homedir();
  const explicit = Object.keys(set).filter((name) => EXPLICIT.test(name) && set[name]);
  const file = set.TEMPORAL_CONFIG_FILE ?? defaultConfigFile(set);
  if (explicit.length === 0 && !(file && (await exists(file)))) return { kind: 'embedded' };
  if (set.TEMPORAL_CONFIG_FILE && !(await exists(set.TEMPORAL_CONFIG_FILE))) {
    throw new Error(`TEMPORAL_CONFIG_FILE=${set.TEMPORAL_CONFIG_FILE} does not exist. Correct it or unset it`);
  }
  return load(set, file, explicit);
}

async function load(
  env: Record<string, string>,
  file: string | undefined,
  explicit: string[],
): Promise<ResolvedConnection> {
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const profile = env.TEMPORAL_PROFILE ?? 'default';
  let config: ReturnType<typeof loadClientConnectConfig>;
  try {
    config = loadClientConnectConfig({ overrideEnvVars: env });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `cannot read the Temporal settings (profile "${profile}" of ${file ?? 'temporal.toml'}): ${reason}`,
    );
  }
  const { address, tls, apiKey, metadata } = config.connectionOptions;
  const meant = explicit.filter((name) => name !== 'TEMPORAL_PROFILE' && name !== 'TEMPORAL_CONFIG_FILE');
  if (!address && meant.length === 0 && !env.TEMPORAL_PROFILE) return { kind: 'embedded' };
  if (!address && (apiKey || env.TEMPORAL_PROFILE)) {
    const what = apiKey ? 'a Temporal API key is set, but no address' : `TEMPORAL_PROFILE=${profile} has no address`;
    throw new Error(`${what}. Add one: export TEMPORAL_ADDRESS=host:7233`);
  }
  const options: ConnectOptions = { address: address || DEFAULT_ADDRESS };
  if (tls !== undefined && tls !== null) options.tls = tls;
  if (typeof apiKey === 'string') options.apiKey = apiKey;
  if (metadata) options.metadata = metadata as Record<string, string>;
  const origin = env.TEMPORAL_ADDRESS
    ? 'TEMPORAL_ADDRESS'
    : address
      ? `profile "${profile}" of ${file}`
      : `the default, because only ${meant.join(', ')} is set`;
  return { kind: 'external', options, namespace: config.namespace || 'default', origin };
}

/** One phrase for messages, e.g. `cloud:7233, namespace "team" (from TEMPORAL_ADDRESS)`. */
export function describeAddress(connection: ResolvedConnection, embedded?: { address: string }): string {
  if (connection.kind === 'embedded') return `the embedded server${embedded ? ` at ${embedded.address}` : ''}`;
  return `${connection.options.address}, namespace "${connection.namespace}" (from ${connection.origin})`;
}
