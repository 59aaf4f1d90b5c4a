/** Explains in one sentence why an external Temporal cannot be reached. The SDK's error wraps the cause three times. */
import { connect } from 'node:net';
import { describeAddress, type ExternalConnection } from './connection.js';

const DEFAULT_PORT = 7233;

/** Splits `host`, `host:port`, `[v6]:port`. */
export function splitAddress(address: string): { host: string; port: number } {
  const match = /^(?:dns:\/*)?(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(address);
  const host = match?.[1] ?? match?.[2];
  return host ? { host, port: Number(match?.[3] ?? DEFAULT_PORT) } : { host: address, port: DEFAULT_PORT };
}

const knock = (host: string, port: number, timeoutMs: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const timer = setTimeout(() => finish(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
    const finish = (reason?: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reason);
    };
    socket.once('connect', () => finish());
    socket.once('error', (error: NodeJS.ErrnoException) => finish(error.message || error.code || 'connection failed'));
  });

/** @throws Error naming the address, where it came from, and what to do, when nothing answers within `timeoutMs`. */
export async function assertReachable(connection: ExternalConnection, timeoutMs = 5_000): Promise<void> {
  const { host, port } = splitAddress(connection.options.address);
  const reason = await knock(host, port, timeoutMs);
  if (reason === undefined) return;
  throw new Error(
    `cannot reach Temporal at ${describeAddress(connection)}: ${reason}. ` +
      'Start that server, correct the address, or unset the TEMPORAL_* settings to use the embedded server',
  );
}
