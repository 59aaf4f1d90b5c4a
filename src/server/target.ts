/**
 * Chooses the Temporal server, in the form of both SDK connections: the configured one, or else the embedded server.
 * Must not import @temporalio: commands that only ask for the address stay fast.
 */
import { type ConnectOptions, describeAddress, resolveConnection } from './connection.js';
import { ensureServer } from './embedded.js';
import { HOST, NAMESPACE, readRecord } from './files.js';
import { DEFAULT_PORTS } from './ports.js';

export interface Target {
  kind: 'embedded' | 'external';
  /** `host:port` */
  address: string;
  namespace: string;
  options: ConnectOptions;
  /** False: the embedded server has no record, so no address is known. */
  known: boolean;
  /** Of the embedded server. */
  uiUrl?: string;
  /** For messages. */
  description: string;
}

export interface TargetEnvironment {
  root: string;
  cacheRoot: string;
  env: NodeJS.ProcessEnv;
}

/** `start`: start the embedded server if it is not running; otherwise only return its address. */
export async function connectTarget(
  where: TargetEnvironment,
  { start, onProgress = () => {} }: { start: boolean; onProgress?: (line: string) => void },
): Promise<Target> {
  const { root, cacheRoot, env } = where;
  const resolved = await resolveConnection({ env, root });
  if (resolved.kind === 'external') {
    const { options, namespace } = resolved;
    const { address } = options;
    return { kind: 'external', address, namespace, options, known: true, description: describeAddress(resolved) };
  }
  const record = start ? await ensureServer({ root, cacheRoot, env, onProgress }) : await readRecord(root);
  const address = record?.address ?? `${HOST}:${DEFAULT_PORTS.grpc}`;
  return {
    kind: 'embedded',
    address,
    namespace: record?.namespace ?? NAMESPACE,
    options: { address },
    known: record !== undefined,
    uiUrl: record?.uiUrl,
    description: describeAddress(resolved, { address }),
  };
}
